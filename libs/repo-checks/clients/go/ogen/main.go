// A program as a user would write it, with the names that ogen generates.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"sort"
	"strings"

	"taskgraph.example/clients/ogen/api"

	"github.com/google/uuid"
)

// credentials has an API token alone.
type credentials struct{ token string }

func (c credentials) Token(context.Context, api.OperationName) (api.Token, error) {
	return api.Token{Token: c.token}, nil
}

func main() {
	client, err := api.NewClient(os.Getenv("TASKGRAPH_URL"), credentials{os.Getenv("TASKGRAPH_TOKEN")})
	if err != nil {
		log.Fatal(err)
	}
	if err := plan(context.Background(), client); err != nil {
		log.Fatal(err)
	}
}

func plan(ctx context.Context, client *api.Client) error {
	return nil
}

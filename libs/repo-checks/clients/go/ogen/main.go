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
	"github.com/ogen-go/ogen/ogenerrors"
)

// credentials has an API token, and no session.
type credentials struct{ token string }

func (c credentials) Token(context.Context, api.OperationName) (api.Token, error) {
	return api.Token{Token: c.token}, nil
}

func (credentials) SessionToken(context.Context, api.OperationName) (api.SessionToken, error) {
	return api.SessionToken{}, ogenerrors.ErrSkipClientSecurity
}

func (credentials) BrowserSession(context.Context, api.OperationName) (api.BrowserSession, error) {
	return api.BrowserSession{}, ogenerrors.ErrSkipClientSecurity
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
	live, err := add(ctx, client, "Go live")
	if err != nil {
		return err
	}
	domain, err := add(ctx, client, "Set up the domain")
	if err != nil {
		return err
	}
	linked, err := client.LinkAdd(ctx, &api.LinkAddReq{Source: domain, Target: live}, api.LinkAddParams{})
	if err != nil {
		return err
	}
	if _, ok := linked.(*api.ChangedHeaders); !ok {
		return fmt.Errorf("the link was refused: %+v", linked)
	}
	refused, err := client.LinkAdd(ctx, &api.LinkAddReq{Source: live, Target: domain}, api.LinkAddParams{})
	if err != nil {
		return err
	}
	if conflict, ok := refused.(*api.LinkAddConflict); !ok || conflict.Error != "conflict.duplicate_reversed_link" {
		return fmt.Errorf("the reversed link was not refused: %+v", refused)
	}
	name, err := addBlocker(ctx, client, domain)
	if err != nil {
		return err
	}
	found, err := find(ctx, client)
	if err != nil {
		return err
	}
	params := api.NodeGetParams{Ids: []uuid.UUID{live, domain, name}, Links: api.NewOptBool(true)}
	answer, err := client.NodeGet(ctx, params)
	if err != nil {
		return err
	}
	read, ok := answer.(*api.NodesHeaders)
	if !ok {
		return fmt.Errorf("the nodes were refused: %+v", answer)
	}
	var statuses []string
	for _, one := range read.Response.Nodes {
		node, ok := one.GetNode()
		if !ok {
			return fmt.Errorf("a node is in the trash: %+v", one)
		}
		statuses = append(statuses, fmt.Sprintf("%s %d", node.Title, node.Status))
	}
	sort.Strings(statuses)
	fmt.Printf("%s, %d links, found %s\n", strings.Join(statuses, ", "), len(read.Response.Links), found)
	return nil
}

// find finds the blocked nodes with a word.
func find(ctx context.Context, client *api.Client) (string, error) {
	params := api.NodeFindParams{Text: api.NewOptString("domain"), Status: []int32{2}, Leaf: api.NewOptBool(false)}
	answer, err := client.NodeFind(ctx, params)
	if err != nil {
		return "", err
	}
	found, ok := answer.(*api.FoundNodes)
	if !ok {
		return "", fmt.Errorf("the search was refused: %+v", answer)
	}
	var titles []string
	for _, node := range found.Nodes {
		titles = append(titles, node.Title)
	}
	return strings.Join(titles, ", "), nil
}

func add(ctx context.Context, client *api.Client, title string) (uuid.UUID, error) {
	request := api.NewOptNodeAddReq(api.NodeAddReq{Title: api.NewOptString(title)})
	answer, err := client.NodeAdd(ctx, request, api.NodeAddParams{})
	if err != nil {
		return uuid.UUID{}, err
	}
	added, ok := answer.(*api.ChangedHeaders)
	if !ok {
		return uuid.UUID{}, fmt.Errorf("the node was refused: %+v", answer)
	}
	return added.Response.Diff.Nodes[0].After.ID.Value, nil
}

// addBlocker adds a node that blocks another, in one batch.
func addBlocker(ctx context.Context, client *api.Client, blocked uuid.UUID) (uuid.UUID, error) {
	payload := api.BatchNodeAddPayload{Title: api.NewOptString("Choose a name")}
	node := api.BatchNodeAdd{Payload: api.NewOptBatchNodeAddPayload(payload), As: api.NewOptString("name")}
	link := api.BatchLinkAdd{Payload: api.BatchLinkAddPayload{Source: "$name", Target: blocked.String()}}
	operations := []api.BatchOperation{
		api.NewBatchNodeAddBatchOperation(node),
		api.NewBatchLinkAddBatchOperation(link),
	}
	answer, err := client.BatchRun(ctx, &api.BatchRunReq{Operations: operations}, api.BatchRunParams{})
	if err != nil {
		return uuid.UUID{}, err
	}
	run, ok := answer.(*api.BatchRunHeaders)
	if !ok {
		return uuid.UUID{}, fmt.Errorf("the batch was refused: %+v", answer)
	}
	return run.Response.Results[0].ID.Value, nil
}

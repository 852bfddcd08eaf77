// Loads a compose file as Docker Compose does, and prints as JSON the names of the services that
// the profiles enable.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	names, err := load(os.Args[1], strings.Fields(os.Args[2]))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := json.NewEncoder(os.Stdout).Encode(names); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// load returns the services that the profiles enable; its error describes an invalid file.
func load(path string, profiles []string) ([]string, error) {
	options, err := cli.NewProjectOptions([]string{path}, cli.WithOsEnv, cli.WithProfiles(profiles))
	if err != nil {
		return nil, err
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return nil, err
	}
	return project.ServiceNames(), nil
}

// A program as a user would write it, with the names that oapi-codegen generates.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"sort"
	"strings"

	"taskgraph.example/clients/oapi/api"

	"github.com/oapi-codegen/runtime/types"
)

func main() {
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("TASKGRAPH_TOKEN"))
		return nil
	}
	client, err := api.NewClientWithResponses(os.Getenv("TASKGRAPH_URL"), api.WithRequestEditorFn(authorize))
	if err != nil {
		log.Fatal(err)
	}
	if err := plan(context.Background(), client); err != nil {
		log.Fatal(err)
	}
}

func plan(ctx context.Context, client *api.ClientWithResponses) error {
	live, err := add(ctx, client, "Go live")
	if err != nil {
		return err
	}
	domain, err := add(ctx, client, "Set up the domain")
	if err != nil {
		return err
	}
	linked, err := client.LinkAddWithResponse(ctx, nil, api.LinkAddJSONRequestBody{Source: domain, Target: live})
	if err != nil {
		return err
	}
	if linked.JSON200 == nil {
		return fmt.Errorf("the link was refused: %s", linked.Body)
	}
	refused, err := client.LinkAddWithResponse(ctx, nil, api.LinkAddJSONRequestBody{Source: live, Target: domain})
	if err != nil {
		return err
	}
	if refused.JSON409 == nil || refused.JSON409.Error != "conflict.duplicate_reversed_link" {
		return fmt.Errorf("the reversed link was not refused: %s", refused.Body)
	}
	name, err := addBlocker(ctx, client, domain)
	if err != nil {
		return err
	}
	found, err := find(ctx, client)
	if err != nil {
		return err
	}
	ids, links := []types.UUID{live, domain, name}, true
	read, err := client.NodeGetWithResponse(ctx, &api.NodeGetParams{Ids: &ids, Links: &links})
	if err != nil {
		return err
	}
	if read.JSON200 == nil {
		return fmt.Errorf("the nodes were refused: %s", read.Body)
	}
	var statuses []string
	for _, one := range read.JSON200.Nodes {
		node, err := one.AsNode()
		if err != nil {
			return err
		}
		statuses = append(statuses, fmt.Sprintf("%s %d", node.Title, node.Status))
	}
	sort.Strings(statuses)
	fmt.Printf("%s, %d links, found %s\n", strings.Join(statuses, ", "), len(*read.JSON200.Links), found)
	return nil
}

// find finds the blocked nodes with a word.
func find(ctx context.Context, client *api.ClientWithResponses) (string, error) {
	text, statuses, leaf := "domain", []int32{2}, false
	params := &api.NodeFindParams{Text: &text, Status: &statuses, Leaf: &leaf}
	found, err := client.NodeFindWithResponse(ctx, params)
	if err != nil {
		return "", err
	}
	if found.JSON200 == nil {
		return "", fmt.Errorf("the search was refused: %s", found.Body)
	}
	var titles []string
	for _, node := range found.JSON200.Nodes {
		titles = append(titles, node.Title)
	}
	return strings.Join(titles, ", "), nil
}

func add(ctx context.Context, client *api.ClientWithResponses, title string) (types.UUID, error) {
	added, err := client.NodeAddWithResponse(ctx, nil, api.NodeAddJSONRequestBody{Title: &title})
	if err != nil {
		return types.UUID{}, err
	}
	if added.JSON200 == nil {
		return types.UUID{}, fmt.Errorf("the node was refused: %s", added.Body)
	}
	return *added.JSON200.Diff.Nodes[0].After.Id, nil
}

// addBlocker adds a node that blocks another, in one batch.
func addBlocker(ctx context.Context, client *api.ClientWithResponses, blocked types.UUID) (types.UUID, error) {
	title, name := "Choose a name", "name"
	var node, link api.BatchOperation
	err := node.FromBatchNodeAdd(api.BatchNodeAdd{Payload: &api.BatchNodeAddPayload{Title: &title}, As: &name})
	if err != nil {
		return types.UUID{}, err
	}
	payload := api.BatchLinkAddPayload{Source: "$name", Target: blocked.String()}
	if err := link.FromBatchLinkAdd(api.BatchLinkAdd{Payload: payload}); err != nil {
		return types.UUID{}, err
	}
	body := api.BatchRunJSONRequestBody{Operations: []api.BatchOperation{node, link}}
	ran, err := client.BatchRunWithResponse(ctx, nil, body)
	if err != nil {
		return types.UUID{}, err
	}
	if ran.JSON200 == nil {
		return types.UUID{}, fmt.Errorf("the batch was refused: %s", ran.Body)
	}
	return *ran.JSON200.Results[0].Id, nil
}

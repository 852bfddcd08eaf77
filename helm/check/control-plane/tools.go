//go:build tools

// Package tools imports the Kubernetes programs that `npm run check:helm -- --cluster` builds, so
// that go.mod keeps them.
package tools

import (
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kube-controller-manager"
	_ "k8s.io/kubernetes/cmd/kube-scheduler"
)

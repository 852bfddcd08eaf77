// Parses PromQL expressions, one a line on the standard input, and ends with an error that names each wrong one.
package main

import (
	"bufio"
	"fmt"
	"os"

	"github.com/prometheus/prometheus/promql/parser"
)

func main() {
	status := 0
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if _, err := parser.NewParser(parser.Options{}).ParseExpr(lines.Text()); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", lines.Text(), err)
			status = 1
		}
	}
	if err := lines.Err(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"trawl/trajectory"
)

func newVersion(e env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return writeJSON(e.stdout, map[string]any{
					"version": version(), "go": runtime.Version(), "rollout_schema": trajectory.Version,
				})
			}
			_, err := fmt.Fprintf(e.stdout, "trawl %s (%s, %s/%s, rollout schema %d)\n",
				version(), runtime.Version(), runtime.GOOS, runtime.GOARCH, trajectory.Version)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

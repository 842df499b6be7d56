package main

import (
	"crypto/rand"
	"fmt"
	"io"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/sabir-proxy/sabir/config"
)

func newKey() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "key [NAME]",
		Short: "Make a key for a client",
		Long: `Key prints a fresh random key, for the client, and the line for auth.keys of the
configuration, which holds only its hash. The key is not kept anywhere: give it
to the client now, or make another one.

The hash alone serves as auth.admin_sha256.`,
		Example: `  sabir key web`,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := "client"
			if len(args) > 0 {
				name = args[0]
			}
			if !clientName.MatchString(name) {
				return usageError{fmt.Errorf("%q is no name of a client: 1 to 64 letters, digits and . _ - @", name)}
			}
			return printKey(cmd.OutOrStdout(), name, "sabir-"+rand.Text())
		},
	}
	return cmd
}

var clientName = regexp.MustCompile(`^` + config.KeyName + `$`)

func printKey(w io.Writer, name, key string) error {
	_, err := fmt.Fprintf(w, "key, for the client:   %s\nline, for auth.keys:  - {name: %q, sha256: %s}\n", key, name, config.HashKey(key))
	return err
}

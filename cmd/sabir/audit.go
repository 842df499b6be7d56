package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/sabir-proxy/sabir/proxy"
)

func newAudit() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Check what audit has written",
		Long: `Audit is about the file that audit of the configuration names. What it can do
is the command below.`,
		Example: `  sabir audit verify audit.jsonl`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return usageError{errors.New("say what to do: sabir audit verify FILE")}
		},
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "verify FILE...",
		Short: "Find lines of a chained audit that were changed, removed or moved",
		Long: `Verify follows the chain of hashes in files that were written with
audit: {chain: true}, the oldest first, and says which line does not fit. Lines
that were removed from the end, and a chain that was made anew as a whole, show
only against a hash of a last line that was kept elsewhere; it is printed.`,
		Example: `  sabir audit verify audit.jsonl.1 audit.jsonl`,
		Args:    cobra.MinimumNArgs(1),
		RunE: work(func(cmd *cobra.Command, files []string) error {
			last := ""
			for i, name := range files {
				v, err := verifyFile(name)
				switch {
				case err != nil:
					return fmt.Errorf("%s: %w", name, err)
				case i > 0 && v.Prev != last:
					return fmt.Errorf("%s: does not follow %s: lines between them are missing, or the order is another", name, files[i-1])
				case v.Seq > 1 && i == 0:
					fmt.Fprintf(cmd.OutOrStdout(), "%s: begins with number %d, after an earlier file\n", name, v.Seq)
				}
				last = v.Last
				fmt.Fprintf(cmd.OutOrStdout(), "%s: %d lines are as they were written; the last hash is %s\n", name, v.Lines, v.Last)
			}
			return nil
		}),
	})
	return cmd
}

func verifyFile(name string) (proxy.AuditVerified, error) {
	f, err := os.Open(name)
	if err != nil {
		return proxy.AuditVerified{}, err
	}
	defer f.Close()
	v, err := proxy.VerifyAudit(f)
	if err == nil && v.Lines == 0 {
		err = fmt.Errorf("there is no line in it")
	}
	return v, err
}

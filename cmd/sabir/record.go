package main

import (
	"path/filepath"

	"github.com/spf13/cobra"
)

func newRecord() *cobra.Command {
	var o oneRoute
	cmd := &cobra.Command{
		Use:   "record --client DIALECT [--from DIALECT] {--to URL | -- PROGRAM}",
		Short: "Stand in front of an agent, and write its runs to files",
		Long: `Record does what proxy does, and writes every run to a file of its own: the
request, what the agent sent, what was understood, what the client got, and
when. The files hold everything that was said; only their owner can read them.

sabir replay serves them again, sabir convert makes streams and fixtures of
them, and the page of operators opens them. Routes of a configuration file
record with the key record, which also takes samples and leaves members out.`,
		Example: `  sabir record --to http://127.0.0.1:9000/ --client agui
  sabir record --to http://127.0.0.1:9000/ --from agui --client aisdk --dir runs
  sabir record --client aisdk -- claude`,
		Args: o.takeProgram,
		RunE: work(func(cmd *cobra.Command, _ []string) (err error) {
			if o.record, err = filepath.Abs(o.record); err != nil {
				return err
			}
			text, err := o.make(cmd)
			if err != nil {
				return err
			}
			if err := o.present(); err != nil {
				return err
			}
			s := service{path: "flags", text: text, stdout: cmd.OutOrStdout(), stderr: cmd.ErrOrStderr(), welcome: greet(text)}
			return s.serve(cmd.Context())
		}),
	}
	o.flags(cmd.Flags(), "127.0.0.1:0")
	cmd.Flags().StringVar(&o.record, "dir", "recordings", "`DIR` of the files")
	completeRoute(cmd)
	return cmd
}

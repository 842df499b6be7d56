package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy"
)

// acpOptions are the flags of the command.
type acpOptions struct {
	config, route  string
	from, to       string
	request, model string
	form           string   // the dialect of the requests that the agent takes; "" for that which it speaks
	command        []string // behind --
}

func newACP() *cobra.Command {
	var o acpOptions
	cmd := &cobra.Command{
		Use:   "acp --from DIALECT (--to URL | -- PROGRAM ...) | --config FILE",
		Short: "Be an agent that an editor starts",
		Long: `Acp speaks the Agent Client Protocol on standard input and output, as editors
such as Zed expect of an agent that they start. Behind it stands any agent: a
server at a URL, a program, or the upstream of a route in a configuration, whose
client must be acp.

The conversations are kept for servers that need the whole history. A
permission that the agent asks for is asked in the editor, and its run goes on
with the answer. Standard error is the log.`,
		Example: `  sabir acp --from langgraph --to http://127.0.0.1:2024
  sabir acp --from agui --to http://127.0.0.1:9000/agui
  sabir acp --from codex-app-server -- codex app-server
  sabir acp --config sabir.yaml --route /editor`,
		RunE: work(func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && cmd.ArgsLenAtDash() != 0 {
				return usageError{fmt.Errorf("unexpected argument %q; a program stands behind --", args[0])}
			}
			o.command = args
			return serveACP(cmd.Context(), &o, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		}),
	}
	f := cmd.Flags()
	f.StringVarP(&o.config, "config", "c", "", "configuration `FILE`")
	f.StringVar(&o.route, "route", "", "`PATH` of a route, if several have client: acp")
	f.StringVar(&o.from, "from", "", "`DIALECT` that the agent speaks")
	f.StringVar(&o.to, "to", "", "`URL` of the agent")
	f.StringVar(&o.request, "request", "", "`TEMPLATE` of the body, for agents of your own")
	f.StringVar(&o.form, "request-as", "", "`DIALECT` of its requests, if it answers in another")
	f.StringVar(&o.model, "model", "", "`MODEL` that the agent is asked for")
	return cmd
}

// acpRoute is the path of the route that the flags describe.
const acpRoute = "/acp"

func serveACP(ctx context.Context, o *acpOptions, stdin io.Reader, stdout, stderr io.Writer) error {
	cfg, path, err := o.load(stderr)
	if err != nil {
		return err
	}
	sink := newLogSink(cfg.Log, stderr)
	defer sink.Close(flushTime)
	log, _ := newLogger(cfg.Log, sink)
	server, err := proxy.New(cfg, log, versionName())
	if err != nil {
		return err
	}
	return server.ServeLines(ctx, path, stdin, stdout)
}

// load returns the configuration and the route in it.
func (o *acpOptions) load(stderr io.Writer) (*config.Config, string, error) {
	if o.config == "" {
		cfg, err := o.made()
		return cfg, acpRoute, err
	}
	if o.from != "" || o.to != "" || o.request != "" || o.form != "" || o.model != "" || len(o.command) > 0 {
		return nil, "", usageError{errors.New("--config says everything; leave out the other flags but --route")}
	}
	cfg, err := load(o.config, new(catalog), stderr)
	if err != nil {
		return nil, "", err
	}
	path, err := o.routeOf(cfg)
	return cfg, path, err
}

// routeOf is the route that is meant.
func (o *acpOptions) routeOf(cfg *config.Config) (string, error) {
	var paths []string
	for _, r := range cfg.Routes {
		path := strings.TrimSuffix(r.Path, "/*")
		if path == o.route {
			return path, nil
		}
		if r.Client == "acp" {
			paths = append(paths, path)
		}
	}
	switch {
	case o.route != "":
		return "", usageError{fmt.Errorf("there is no route %s", o.route)}
	case len(paths) == 1:
		return paths[0], nil
	}
	return "", usageError{fmt.Errorf("%d routes have client: acp; name one with --route", len(paths))}
}

// made makes a configuration of the flags.
func (o *acpOptions) made() (*config.Config, error) {
	if o.from == "" || (o.to == "") == (len(o.command) == 0) {
		return nil, usageError{errors.New("want --from, and either --to or a program behind --; or --config")}
	}
	upstream := map[string]any{"dialect": literal(o.from)}
	if o.to != "" {
		upstream["url"], upstream["request"] = literal(o.to), literal(o.request)
		upstream["request_dialect"] = literal(o.form)
	} else {
		var command []string
		for _, arg := range o.command {
			command = append(command, literal(arg))
		}
		upstream["command"] = command
	}
	text, err := json.Marshal(map[string]any{ // JSON is YAML
		"listen": "127.0.0.1:0", "admin": "", "log": map[string]any{"level": "warn", "format": "console"},
		"upstreams": map[string]any{"agent": upstream},
		"routes":    []any{map[string]any{"path": acpRoute, "upstream": "agent", "client": "acp", "requests": map[string]any{"model": literal(o.model)}}},
	})
	if err != nil {
		return nil, err
	}
	cfg, err := config.Parse("flags", text, new(catalog), nil)
	var problems config.Problems
	if errors.As(err, &problems) {
		return nil, usageError{fmt.Errorf("%s: %s", strings.TrimPrefix(problems[0].Path, "upstreams.agent."), problems[0].Msg)}
	}
	return cfg, err
}

// literal is text that stands for itself in a configuration.
func literal(text string) string { return strings.ReplaceAll(text, "$", "$$") }

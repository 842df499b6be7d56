package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"unicode"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
)

// oneRoute is the configuration of one agent and one front end, as flags say it.
type oneRoute struct {
	asking           string // name of the command that has asked; "" for none that serves one route
	to, from, client string
	command          []string // of an agent that is a program; nil for a server
	env              []string // what that sees of the environment beside the usual; nil for nothing
	pass             []string // likewise, as flags name it
	dir              string   // where it works
	listen, admin    string
	path             string
	request, model   string
	form             string // the dialect of the requests that the agent takes; "" for that which it speaks
	record           string // folder of recordings; "" for none
	inspect          bool   // runs are shown on a page
	base             bool   // to was found to be the base of a server that keeps sessions
	cors             []string
	declare          []string // files of dialects of one's own
}

// flags adds the flags that say it.
func (o *oneRoute) flags(f *pflag.FlagSet, admin string) {
	f.StringVar(&o.to, "to", "", "`URL` of the agent, where a run is asked for")
	f.StringVar(&o.from, "from", "", "`DIALECT` that the agent speaks; else it is found out")
	f.StringVar(&o.client, "client", "", "`DIALECT` that the front end speaks")
	f.StringVar(&o.listen, "listen", "127.0.0.1:8080", "`ADDRESS` for clients")
	f.StringVar(&o.admin, "admin", admin, "`ADDRESS` for operators")
	f.StringArrayVar(&o.cors, "cors", nil, "`ORIGIN` of web pages that may call; can repeat")
	f.StringVar(&o.path, "path", "", "`PATH` that clients call, if not the usual one")
	f.StringVar(&o.request, "request", "", "`TEMPLATE` of the body, for agents of your own")
	f.StringVar(&o.form, "request-as", "", "`DIALECT` of its requests, if it answers in another")
	f.StringArrayVar(&o.declare, "declare", nil, "`FILE` of a dialect of your own; can repeat")
	f.StringArrayVar(&o.pass, "env", nil, "`NAME` of a variable that a program sees; can repeat")
	f.StringVar(&o.model, "model", "", "`MODEL` for requests that name none")
	f.BoolVar(&o.inspect, "inspect", false, "show runs on a page, with all that is said")
}

// places say which flag holds what stands at a path of the configuration.
var places = []struct{ path, flag string }{
	{"listen", "--listen"}, {"admin", "--admin"}, {"inspect", "--inspect"}, {"cors", "--cors"},
	{"upstreams.agent.url", "--to"}, {"upstreams.agent.command", "the program behind --"},
	{"upstreams.agent.process.env", "--env"}, {"upstreams.agent.dialect", "--from"}, {"upstreams.agent.request_dialect", "--request-as"},
	{"upstreams.agent.request", "--request"},
	{"routes[0].client", "--client"}, {"routes[0].path", "--path"}, {"routes[0].requests.model", "--model"}, {"routes[0].record", "--dir"},
}

// complete checks what can be checked without a dialect of the agent, which is found out next.
func (o *oneRoute) complete(known *catalog) error {
	var problems []error
	switch {
	case o.command == nil && o.pass != nil:
		problems = append(problems, errors.New("--env is for an agent that is a program, behind --"))
	case o.to == "" && o.command == nil:
		problems = append(problems, errors.New("--to is missing: say where your agent is, as in --to http://127.0.0.1:9000/; or how it is called, as in -- claude"))
	case o.to != "" && o.command != nil:
		problems = append(problems, fmt.Errorf("the agent is either a server (--to) or a program (%s behind --)", o.command[0]))
	}
	if o.client == "" {
		problems = append(problems, fmt.Errorf("--client is missing: say what your front end speaks, one of %s",
			dialectNames(func(d *hub.Dialect) bool { return adapters.Serves(d, adapters.Client) })))
	}
	if len(problems) > 0 {
		return usageError{errors.Join(problems...)}
	}
	probe := *o
	if probe.from == "" {
		probe.from = "native" // any that there is
	}
	_, err := probe.parse(known)
	return err
}

// parse writes the configuration, reads it as serve does, and returns it as text. Problems are those of flags.
func (o *oneRoute) parse(known *catalog) ([]byte, error) {
	for _, side := range []struct{ flag, side, name string }{
		{"--from", adapters.Upstream, o.from}, {"--client", adapters.Client, o.client},
	} {
		if problems := known.Check(side.name, side.side, nil); len(problems) > 0 {
			return nil, usageError{fmt.Errorf("%s: %w", side.flag, problems[0])}
		}
	}
	if o.form != "" {
		if err := known.CheckRequestDialect(o.form); err != nil {
			return nil, usageError{fmt.Errorf("--request-as: %w", err)}
		}
	}
	text := o.yaml(known)
	_, err := config.Parse("flags", text, known, nil)
	var problems config.Problems
	if !errors.As(err, &problems) {
		return text, err
	}
	var said []error
	for _, p := range problems {
		said = append(said, fmt.Errorf("%s: %s", flagOf(p.Path), p.Msg))
	}
	return nil, usageError{errors.Join(said...)}
}

// flagOf is the flag that holds what stands at a path, or the path.
func flagOf(path string) string {
	for _, place := range places {
		if strings.HasPrefix(path, place.path) {
			return place.flag
		}
	}
	return path
}

// route is the path of the route. Between two sides of one dialect bodies and paths pass as they come, so that only one path can be
// meant.
func (o *oneRoute) route(client *hub.Dialect) string {
	switch {
	case o.path != "":
		return o.path
	case o.from != o.client:
		return client.UsualRoute()
	}
	base, _ := strings.CutSuffix(client.UsualRoute(), "/*")
	return "/" + strings.TrimPrefix(base+client.RunBelow(), "/")
}

// yaml is the configuration, with comments for people who meet one for the first time. Both dialects are known.
func (o *oneRoute) yaml(known *catalog) []byte {
	agent, _ := known.Lookup(o.from)
	asked, _ := known.Lookup(cmp.Or(o.form, o.from))
	client, _ := known.Lookup(o.client)
	var t commented
	o.server(&t)
	o.agent(&t, agent)
	o.front(&t, client, asked)
	return []byte(t.String())
}

// commented is a text whose lines have comments.
type commented struct{ strings.Builder }

func (t *commented) line(text, comment string) {
	if comment != "" {
		text = pad(text) + " # " + comment
	}
	t.WriteString(text + "\n")
}

// server is the part of the configuration that concerns all routes.
func (o *oneRoute) server(t *commented) {
	t.line("listen: "+scalar(o.listen), "where clients call; "+reach(o.listen))
	t.line("admin: "+scalar(o.admin), "for operators: /metrics, /healthz, /readyz")
	t.line(map[bool]string{false: "# "}[o.inspect]+"inspect: content", "shows runs on a page there, /inspect/")
	t.line("log:", "")
	t.line("  format: console", "json, for machines")
	t.line("  upstream_errors: true", "what the agent says when it refuses")
	if len(o.cors) == 0 {
		t.line("cors: {origins: []}", "web pages that may call, such as http://localhost:3000")
	} else {
		t.line("cors:", "")
		t.line("  origins:", "web pages that may call")
		for _, origin := range o.cors {
			t.line("    - "+scalar(origin), "")
		}
	}
	if len(o.declare) > 0 {
		t.line("dialects:", "")
	}
	for _, file := range o.declare {
		t.line("  "+scalar(declaredName(file))+": "+scalar(file), "a dialect of your own")
	}
}

// agent is the part that says where the agent is, and what it speaks.
func (o *oneRoute) agent(t *commented, agent *hub.Dialect) {
	t.line("upstreams:\n  agent:", "")
	if o.command != nil {
		t.list("    command: ", o.command, "the program that is your agent")
	} else {
		t.line("    url: "+scalar(o.to), "where a run of your agent is asked for")
	}
	t.line("    dialect: "+scalar(o.from), "what it speaks: "+agent.Title)
	if o.command != nil {
		o.process(t)
	}
	if o.request != "" {
		t.line("    request: "+scalar(o.request), bodyNote(o.request))
	}
	if o.form != "" {
		t.line("    request_dialect: "+scalar(o.form), "what its requests look like")
	}
}

// front is the part for the front end. asked is the dialect of the requests that the agent takes.
func (o *oneRoute) front(t *commented, client, asked *hub.Dialect) {
	path := o.route(client)
	t.line("routes:", "")
	t.line("  - path: "+scalar(path), "what clients call"+below(path))
	t.line("    upstream: agent", "")
	t.line("    client: "+scalar(o.client), "what they speak: "+client.Title)
	if o.model != "" {
		t.line("    requests: {model: "+scalar(o.model)+"}", "for requests that name none")
	} else if o.request == "" && o.from != o.client && asked.TakesModel() {
		t.line("    # requests: {model: NAME}", "if the agent wants one and requests name none (--model)")
	}
	if o.record != "" {
		t.line("    record: {dir: "+scalar(o.record)+"}", "every run becomes a file")
	}
}

func below(path string) string {
	if strings.HasSuffix(path, "/*") {
		return ", and everything below"
	}
	return ""
}

// pad brings comments below each other.
func pad(text string) string {
	const column = 42
	return text + strings.Repeat(" ", max(0, column-len(text)))
}

// reach says who can call an address.
func reach(address string) string {
	host, _, _ := net.SplitHostPort(address)
	if ip, err := netip.ParseAddr(host); host == "localhost" || err == nil && ip.IsLoopback() {
		return "only this machine can"
	}
	return "other machines can, too: put TLS in front"
}

// scalar is a text that stands for itself in a configuration: plain where YAML reads it as it is, else quoted.
func scalar(text string) string {
	if strings.Contains(text, "${") || strings.Contains(text, "$$") { // other dollars stand for themselves
		text = literal(text)
	}
	var back struct{ V yaml.Node }
	err := yaml.Unmarshal([]byte("v: "+text+" # c"), &back)
	if v := back.V; err == nil && v.Tag == "!!str" && v.Style == 0 && v.Value == text && !strings.ContainsAny(text, "{}[],") {
		return text
	}
	if !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	quoted, _ := json.Marshal(text) // JSON is YAML; a text always has a form
	return string(quoted)
}

// bodyNote says of a template what it holds of the conversation.
func bodyNote(template string) string {
	if adapters.WantsHistory(template) || strings.Contains(template, "$thread") || strings.Contains(template, "$body") {
		return "the body that it takes"
	}
	return "the body that it takes; $messages is all that was said, $thread the conversation"
}

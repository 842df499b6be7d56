package adapters

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/declared"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/redact"
)

// Catalog is the registry and the dialects that a user has declared beside it. It answers questions about both while a
// configuration or a command line is checked. The zero value is the registry alone.
type Catalog struct{ declared []*hub.Dialect }

// The sides of the proxy on which a dialect can be used.
const (
	Upstream = "upstream" // what the agent server speaks; it is decoded
	Client   = "client"   // what the client speaks; it is encoded
)

// Declare adds a dialect that is described by a document; see package declared for its language. Nothing is added if
// there are problems.
func (c *Catalog) Declare(name string, doc map[string]any) []declared.Problem {
	if _, err := c.Lookup(name); err == nil {
		return []declared.Problem{{Msg: fmt.Sprintf("there is a dialect %s already; give this one another name", name)}}
	}
	d, problems := declared.Parse(name, doc)
	if len(problems) == 0 {
		c.declared = append(c.declared, d)
	}
	return problems
}

// All returns every dialect, those of the registry first. Do not change the slice.
func (c *Catalog) All() []*hub.Dialect {
	if len(c.declared) == 0 {
		return all
	}
	return slices.Concat(all, c.declared)
}

// Lookup returns the dialect of that name, or an [UnknownError].
func (c *Catalog) Lookup(name string) (*hub.Dialect, error) {
	for _, d := range c.declared {
		if d.Name == name {
			return d, nil
		}
	}
	d, err := Lookup(name)
	var unknown *UnknownError
	if errors.As(err, &unknown) {
		unknown.Known = c.names(nil)
	}
	return d, err
}

// Check returns every problem with the use of dialect name on a side with these options, which come from YAML (typed)
// or from a command line (text); nil when fine. A name that does not exist, or not on this side, is one problem, and the
// options are not looked at.
func (c *Catalog) Check(name, side string, options map[string]any) []error {
	d, err := c.Lookup(name)
	if err != nil {
		return []error{err}
	}
	if !Serves(d, side) {
		usable := c.names(func(d *hub.Dialect) bool { return Serves(d, side) })
		return []error{fmt.Errorf("%s cannot be used for the %s, as its streams are not %s; there is: %s",
			name, side, map[string]string{Upstream: "read", Client: "written"}[side], strings.Join(usable, ", "))}
	}
	_, problems := d.ParseOptions(options)
	for _, spec := range d.Options {
		if _, set := options[spec.Name]; set && !Applies(spec, side) {
			problems = append(problems, fmt.Errorf("option %s of %s means nothing for the %s; it changes how the dialect is %s",
				spec.Name, name, side, map[string]string{Upstream: "written", Client: "read"}[side]))
		}
	}
	return problems
}

// CheckRequest returns what is wrong with the template of a request.
func (c *Catalog) CheckRequest(template string) error {
	_, err := RequestTemplate(template)
	return err
}

// CheckRequestDialect returns why an agent cannot be asked in the form of a dialect.
func (c *Catalog) CheckRequestDialect(name string) error {
	d, err := c.Lookup(name)
	switch {
	case err != nil:
		return err
	case d.Sessions.HasBase():
		return fmt.Errorf("requests of %s belong to a server that keeps sessions, which has to speak it as well", name)
	case d.RequestWriter() == nil:
		written := c.names(func(d *hub.Dialect) bool { return d.RequestWriter() != nil && !d.Sessions.HasBase() })
		return fmt.Errorf("requests of %s are not written; there is: %s", name, strings.Join(written, ", "))
	}
	return nil
}

// LacksModel reports whether agents whose requests have the form of one dialect refuse what comes of clients of another, as these name no
// model.
func (c *Catalog) LacksModel(client, form string) bool {
	asks, asked := c.find(client), c.find(form)
	return asks != nil && asked != nil && asked.WantsModel && asks.Messages != nil && !asks.NamesModel()
}

// CheckPattern returns what is wrong with a pattern of what must not leave.
func (c *Catalog) CheckPattern(expr string, longest int) error {
	return redact.Check(redact.Pattern{Expr: expr, Max: longest})
}

// find returns the dialect of that name, nil if there is none.
func (c *Catalog) find(name string) *hub.Dialect {
	for _, d := range c.All() {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// CheckProcess returns why agents of a dialect cannot be run as child processes; nil when they can, or when there is no such dialect.
func (c *Catalog) CheckProcess(dialect string) error {
	if d := c.find(dialect); d == nil || d.Processes != nil {
		return nil // an unknown name has been reported
	}
	return fmt.Errorf("agents of %s cannot be run as processes; those of these can: %s", dialect, strings.Join(c.Runs(), ", "))
}

// Runs are the dialects whose agents can be run as child processes.
func (c *Catalog) Runs() []string {
	return c.names(func(d *hub.Dialect) bool { return d.Processes != nil })
}

// Program returns the agent that a command calls, and its dialect; nil where it is not known, or not in that dialect. "" is any.
func (c *Catalog) Program(command []string, dialect string) (d *hub.Dialect, p *hub.Program) {
	for _, known := range c.All() {
		if known.Processes == nil || dialect != "" && dialect != known.Name {
			continue
		}
		for i := range known.Processes.Programs {
			if program := &known.Processes.Programs[i]; program.Fits(command) && (p == nil || len(program.Name) > len(p.Name)) {
				d, p = known, program
			}
		}
	}
	return d, p
}

// Calls are the commands by which a program of that name is known.
func (c *Catalog) Calls(name string) (calls []string) {
	for _, d := range c.All() {
		for i := 0; d.Processes != nil && i < len(d.Processes.Programs); i++ {
			if p := &d.Processes.Programs[i]; p.Name[0] == name {
				calls = append(calls, strings.Join(p.Name, " "))
			}
		}
	}
	return calls
}

// CheckProcessClient returns why clients of a dialect cannot ask an agent that is a process; nil when they can.
func (c *Catalog) CheckProcessClient(dialect string) error {
	if d := c.find(dialect); d == nil || d.Messages != nil {
		return nil
	}
	return fmt.Errorf("requests of %s cannot be read, so an agent that is run by command cannot be asked", dialect)
}

// AsksInTurn reports whether clients of a dialect are asked in the middle of a turn.
func (c *Catalog) AsksInTurn(dialect string) bool {
	d := c.find(dialect)
	return d != nil && d.NewFace != nil
}

// TakesAnswers reports whether servers of a dialect take the answer to a question while their run goes on.
func (c *Catalog) TakesAnswers(dialect string) bool {
	d := c.find(dialect)
	return d != nil && d.Sessions != nil && d.Sessions.Listen != nil
}

// RequestTemplate returns what writes requests by a template; see package declared for its language.
func RequestTemplate(template string) (func(dst []byte, req *hub.Request, l *hub.Losses) ([]byte, error), error) {
	t, err := declared.ParseRequest(template)
	if err != nil {
		return nil, err
	}
	return t.Append, nil
}

// HelloBy is the body of [hub.Hello] as a template writes it. It names a conversation and a run, as servers refuse requests that lack what the
// template has a place for.
func HelloBy(template string) ([]byte, error) {
	write, err := RequestTemplate(template)
	if err != nil {
		return nil, err
	}
	req := hub.Hello()
	req.Thread, req.Run = []byte("thread-1"), []byte("run-1")
	return write(nil, req, new(hub.Losses))
}

// WantsHistory reports whether the template of a request holds what was said before.
func WantsHistory(template string) bool {
	t, err := declared.ParseRequest(template)
	return err == nil && t.WantsHistory()
}

// names lists the dialects that match, sorted; nil matches all.
func (c *Catalog) names(match func(*hub.Dialect) bool) (names []string) {
	for _, d := range c.All() {
		if match == nil || match(d) {
			names = append(names, d.Name)
		}
	}
	slices.Sort(names)
	return names
}

// Serves reports whether d can be used on a side.
func Serves(d *hub.Dialect, side string) bool {
	if side == Upstream {
		return d.NewDecoder != nil
	}
	return d.NewEncoder != nil
}

// Applies reports whether an option means something on a side.
func Applies(spec hub.OptionSpec, side string) bool {
	if side == Upstream {
		return spec.Decode
	}
	return spec.Encode
}

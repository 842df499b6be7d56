package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/recognize"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/cmd/sabir/internal/fetch"
	"github.com/sabir-proxy/sabir/cmd/sabir/internal/try"
)

// greetTime is how long a server may take to greet who listens to it.
const greetTime = 2 * time.Second

// ask asks the agent "Hello" in the forms of the likely dialects. A URL at which runs are not asked for may be the base of a server that
// keeps sessions: those are asked where they take runs. It returns the dialect of the form that was taken; "" where no run had to be asked for.
func (d *detection) ask(ctx context.Context, base *fetch.Request, address string) (as string, err error) {
	as, err = d.askForms(ctx, base, address)
	if d.only != "" || !takesNoRun(err) {
		return as, err
	}
	if server := d.askServers(ctx, base, address); server != nil {
		d.base = true
		if server.Sessions.Listen != nil {
			return "", nil
		}
		return server.Name, nil
	}
	d.data, d.report = nil, recognize.Report{}
	if d.lacks != nil {
		err = d.lacks
	}
	return as, err
}

// lacksAgent says that a server has not the agent that was asked for, but others.
type lacksAgent struct {
	server string
	names  []string
}

func (e *lacksAgent) Error() string {
	return "it is a " + e.server + " server without an agent of the name that was asked for; it has " + strings.Join(e.names, ", ")
}

// withAdvice adds to an error what helps against it, where that is a flag.
func withAdvice(err error) error {
	var lacks *lacksAgent
	if errors.As(err, &lacks) {
		return fmt.Errorf("%w\n%s", err, lacks.advice())
	}
	return err
}

func (e *lacksAgent) advice() string {
	return "Name the one that is meant: --model " + try.Quoted(e.names[0])
}

// inWords is err with what the server says, where it refuses the body of a request.
func inWords(err error) error {
	var refused *fetch.StatusError
	if !errors.As(err, &refused) || !refusesForm(refused.Status) || refused.Words() == "" {
		return err
	}
	return fmt.Errorf("%w; it says: %s", err, refused.Words())
}

// lacking is err, or what it says of the agents that a server of a dialect has.
func lacking(err error, form *hub.Dialect) error {
	var refused *fetch.StatusError
	if form.Sessions == nil || form.Sessions.Agents == nil || !errors.As(err, &refused) {
		return err
	}
	if names := form.Sessions.Agents(refused.Said); len(names) > 0 {
		return &lacksAgent{form.Name, names}
	}
	return err
}

// takesNoRun reports whether an error says that runs are asked for elsewhere.
func takesNoRun(err error) bool {
	var page *fetch.PageError
	var refused *fetch.StatusError
	return errors.As(err, &page) || errors.As(err, &refused) && (refused.Status == http.StatusNotFound || refused.Status == http.StatusMethodNotAllowed)
}

// askServers returns the dialect of the server whose base a URL is; nil if it is none.
func (d *detection) askServers(ctx context.Context, base *fetch.Request, address string) *hub.Dialect {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	for _, form := range d.known.All() {
		server := form.Sessions
		switch {
		case !server.HasBase() || !server.IsBase(u.Path):
		case server.Listen != nil && d.isGreeted(ctx, base, u, form), server.Listen == nil && d.takesRun(ctx, base, u, form):
			return form
		}
	}
	return nil
}

// takesRun reports whether a run is taken where a server of a dialect takes runs, and answered in that dialect.
func (d *detection) takesRun(ctx context.Context, base *fetch.Request, u *url.URL, form *hub.Dialect) bool {
	request := hello(base, form, d.model)
	in, done, err := request.Open(ctx, u.JoinPath(form.Sessions.Run(hub.Hello())...).String())
	if err != nil {
		errors.As(lacking(err, form), &d.lacks)
		return false
	}
	defer done()
	d.data, d.report = nil, recognize.Report{}
	_ = d.read(ctx, in)
	return d.report.Sure() >= recognize.Likely && d.report.Looks() == form.Name
}

// isGreeted reports whether a server has a stream that begins as that of a dialect does. No run is asked for.
func (d *detection) isGreeted(ctx context.Context, base *fetch.Request, u *url.URL, form *hub.Dialect) bool {
	ctx, cancel := context.WithTimeout(ctx, greetTime)
	defer cancel()
	at := form.Sessions.Listen(hub.Hello())
	request := fetch.Request{Method: at.Method, Header: base.Header}
	in, done, err := request.Open(ctx, u.JoinPath(at.Path...).String())
	if err != nil {
		return false
	}
	defer done()
	lines := bufio.NewScanner(in)
	for range 8 {
		if !lines.Scan() {
			return false
		}
		if line := lines.Text(); strings.Contains(line, form.Sessions.Greeting) {
			d.data = []byte(line + "\n\n")
			d.report = recognize.Report{Framing: wire.SSE, Records: 1, Matches: []recognize.Match{{Dialect: form, Recognised: 1}}}
			return true
		}
	}
	return false
}

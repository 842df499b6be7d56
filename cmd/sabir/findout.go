package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/recognize"
	"github.com/sabir-proxy/sabir/cmd/sabir/internal/fetch"
)

// findOutTime is how long it may take to find out what an agent speaks: the first words of a model can take a while.
const findOutTime = 30 * time.Second

// findOut returns the dialect of the agent at a URL: by the URL, or else by asking it. say gets what is done, as it may cost.
func findOut(ctx context.Context, address string, known *catalog, say io.Writer) (string, error) {
	if d := byURL(address, known); d != nil {
		fmt.Fprintf(say, "The agent is taken for %s, by its URL.\n", d.Name)
		return d.Name, nil
	}
	if !isHTTP(address) {
		return "", usageError{errors.New("--from is missing: what an agent speaks can be found out by HTTP only, not by WebSocket")}
	}
	fmt.Fprintf(say, "Asking the agent \"Hello\", to find out what it speaks. With --from DIALECT it is not asked.\n")
	ctx, cancel := context.WithTimeout(ctx, findOutTime)
	defer cancel()
	d := detection{known: &known.Catalog}
	as, err := d.ask(ctx, &fetch.Request{}, address)
	if err == nil {
		err = d.verdict()
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return "", errors.New("interrupted while the agent was asked what it speaks")
	}
	if err != nil {
		return "", fmt.Errorf("cannot find out what the agent speaks: %w\nIt must run, at a URL where runs are asked for; or name what it speaks with --from (sabir dialects lists that)", err)
	}
	found := d.describe()
	fmt.Fprintf(say, "It speaks %s (%s), and took a request of %s.\n", found.Dialect, found.sureness(), as)
	return found.Dialect, nil
}

// byURL is the dialect whose clients call a URL that ends like this one; nil if there is none, or several.
func byURL(address string, known *catalog) *hub.Dialect {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	var found []*hub.Dialect
	for _, d := range known.All() {
		for rest := u.Path; rest != ""; {
			if e, params := d.FindEndpoint(http.MethodPost, rest); e != nil && e.Operation == hub.OpRun && e.Path != "" && telling(params) {
				found = append(found, d)
				break
			}
			i := strings.IndexByte(rest[1:], '/')
			if i < 0 {
				break
			}
			rest = rest[1+i:]
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// telling reports whether a path is that of a known API: a name in it of which nothing is known but its place is not enough.
func telling(params map[string]string) bool {
	return len(params) == 0 || params["model"] != ""
}

// likely are the dialects in whose form an agent is asked, one after the other. Each form differs from those before it.
var likely = []string{"agui", "openai-chat", "aisdk", "openai-responses", "anthropic", "langgraph", "a2a", "gemini", "agentevent"}

// ask asks the agent "Hello" in the forms of the likely dialects, until it takes one, and reads its answer. It returns the dialect
// of that form. A form that is refused, or answered by nothing but an error, has started no run that got anywhere.
func (d *detection) ask(ctx context.Context, base *fetch.Request, address string) (as string, err error) {
	for _, name := range likely {
		form, known := d.known.Lookup(name)
		if known != nil {
			continue
		}
		request := hello(base, form)
		var refused *fetch.StatusError
		in, done, err := request.Open(ctx, address)
		if errors.As(err, &refused) && refusesForm(refused.Status) {
			d.refusals = append(d.refusals, fmt.Sprintf("%s: %d", name, refused.Status))
			continue
		}
		if err != nil {
			return "", err
		}
		d.data, d.report = nil, recognize.Report{}
		err = d.read(ctx, in)
		done()
		if err != nil && len(d.data) == 0 {
			return "", err
		}
		if as = name; d.report.Sure() != recognize.Ambiguous {
			return as, nil
		}
	}
	if as == "" {
		return "", fmt.Errorf("the agent refuses every form of request that was tried, by status: %s; "+
			"one with a body of its own is asked by detect --data, and served by proxy --request", strings.Join(d.refusals, ", "))
	}
	return as, nil
}

// hello is base with "Hello" in the form of a dialect.
func hello(base *fetch.Request, form *hub.Dialect) fetch.Request {
	request := *base
	request.Body = string(form.Hello())
	if form.RequestHeader != nil {
		request.Header = slices.Clone(base.Header)
		for _, field := range form.RequestHeader(form.Defaults()) {
			request.Header = append(request.Header, field.Name+": "+field.Value)
		}
	}
	return request
}

// refusesForm reports whether a status says that the body is not the one that the server takes. Servers that do not check it fail.
func refusesForm(status int) bool {
	return slices.Contains([]int{
		http.StatusBadRequest, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity, http.StatusInternalServerError,
	}, status)
}

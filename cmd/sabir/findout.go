package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/recognize"
	"github.com/sabir-proxy/sabir/cmd/sabir/internal/fetch"
	"github.com/sabir-proxy/sabir/cmd/sabir/internal/try"
)

// findOutTime is how long it may take to find out what an agent speaks: the first words of a model can take a while.
const findOutTime = 30 * time.Second

// findOut returns the dialect of the agent of a route: by the URL, or else by asking it, with a body by the template if there is one.
// say gets what is done, as it may cost.
func findOut(ctx context.Context, o *oneRoute, known *catalog, say io.Writer) (string, error) {
	if d := byURL(o.to, known); d != nil {
		fmt.Fprintf(say, "The agent is taken for %s, by its URL.\n", d.Name)
		return d.Name, nil
	}
	if !isHTTP(o.to) {
		return "", usageError{errors.New("--from is missing: what an agent speaks can be found out by HTTP only, not by WebSocket")}
	}
	fmt.Fprintf(say, "Asking the agent \"Hello\", to find out what it speaks. With --from DIALECT it is not asked.\n")
	ctx, cancel := context.WithTimeout(ctx, findOutTime)
	defer cancel()
	d := detection{known: &known.Catalog, only: o.form, model: o.model}
	as, err := d.askHello(ctx, o.to, o.request)
	if errors.As(err, &d.lacks) && o.model == "" && len(d.lacks.names) == 1 {
		o.model, d.model = d.lacks.names[0], d.lacks.names[0]
		as, err = d.askHello(ctx, o.to, o.request)
	}
	if err == nil {
		err = d.verdict()
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return "", errors.New("interrupted while the agent was asked what it speaks")
	}
	if err != nil {
		return "", fmt.Errorf("cannot find out what the agent speaks: %w\n%s", inWords(err), o.advice(err))
	}
	o.base = d.base
	found := d.describe()
	fmt.Fprintf(say, "It speaks %s (%s)", found.Dialect, found.sureness())
	if as != "" {
		fmt.Fprintf(say, ", and took a request of %s", as)
	}
	fmt.Fprintln(say, ".")
	if o.form == "" {
		o.form = formBeside(found.Dialect, as, &known.Catalog)
	}
	return found.Dialect, nil
}

// formBeside is the dialect of the requests for an agent that took one, where what it speaks has no form of its own; else "".
func formBeside(speaks, took string, known *adapters.Catalog) string {
	agent, err := known.Lookup(speaks)
	if err != nil || agent.RequestWriter() != nil || known.CheckRequestDialect(took) != nil {
		return ""
	}
	return took
}

// askHello asks with a body by the template, or, without one, in the forms of the likely dialects. It returns whose form was taken.
func (d *detection) askHello(ctx context.Context, address, template string) (as string, err error) {
	if template == "" {
		return d.ask(ctx, &fetch.Request{}, address)
	}
	body, err := adapters.HelloBy(template)
	if err != nil {
		return "", err
	}
	in, done, err := (&fetch.Request{Body: string(body)}).Open(ctx, address)
	if err != nil {
		return "", err
	}
	defer done()
	if err = d.read(ctx, in); len(d.data) > 0 {
		err = nil
	}
	return "its own", err
}

// advice says what helps.
func (o *oneRoute) advice(err error) string {
	const name = "name what it speaks with --from (sabir dialects lists that)"
	var refused *fetch.StatusError
	var unreachable *net.OpError
	var forms formRefusals
	var lacks *lacksAgent
	var plain tls.RecordHeaderError
	var untrusted *tls.CertificateVerificationError
	switch {
	case errors.As(err, &plain), errors.Is(err, http.ErrSchemeMismatch):
		return "It speaks plain HTTP: write http:// in place of https://"
	case errors.As(err, &untrusted):
		return "Its certificate is of an authority that is not trusted here, or of another name: " + name + ". --print writes the\n" +
			"configuration, in which the upstream gets tls: {ca: FILE}, or tls: {server_name: NAME}"
	case errors.As(err, &lacks):
		return lacks.advice()
	case errors.As(err, &refused) && refusesForm(refused.Status) && o.request != "":
		body, _ := adapters.HelloBy(o.request) // which it got
		return fmt.Sprintf("It was sent %s: correct --request, with the members that it reads; or %s", body, name)
	case errors.As(err, &forms):
		return `If it takes a body of its own, say which: --request '{"prompt":"$input"}', with the member that it reads; or ` + name
	case errors.Is(err, errOwnRecords):
		return "If its records are its own, let Sabir draft what they mean, look through the file, and use it:\n\n" + o.drafting()
	case errors.As(err, &unreachable) && unreachable.Op == "dial":
		return "Start the agent first, or correct the URL; or " + name
	case errors.As(err, &refused) && (refused.Status == http.StatusNotFound || refused.Status == http.StatusMethodNotAllowed):
		return "Give the URL where runs are asked for, path included; that of a server like OpenAI's ends with /v1/chat/completions. " +
			"Or " + name
	case errors.As(err, &refused) && (refused.Status == http.StatusUnauthorized || refused.Status == http.StatusForbidden):
		return "It wants a key: " + name + ". --print writes the configuration, in which the upstream gets\n" +
			`headers: {set: {Authorization: "Bearer ${AGENT_KEY}"}}`
	}
	return "It must run, at a URL where runs are asked for; or " + name
}

// drafting are the commands that draft a dialect for the agent, and use it.
func (o *oneRoute) drafting() string {
	name, to, client := programName(os.Args[0]), try.Quoted(o.to), o.client
	ask, request := "--ask", ""
	if body, err := adapters.HelloBy(o.request); o.request != "" && err == nil {
		ask, request = "--data "+try.Quoted(string(body)), " --request "+try.Quoted(o.request)
	}
	if client == "" {
		client = "agui"
	}
	return fmt.Sprintf("    %[1]s detect --draft %[2]s %[3]s > mine.yaml\n    %[1]s %[6]s --to %[3]s --declare mine.yaml --from mine%[4]s --client %[5]s",
		name, ask, to, request, client, cmp.Or(o.asking, "proxy"))
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

// askForms asks the agent "Hello" in the forms of the likely dialects, until it takes one, and reads its answer. It returns the dialect
// of that form. A form that is refused, or answered by nothing or nothing but an error, has started no run that got anywhere.
func (d *detection) askForms(ctx context.Context, base *fetch.Request, address string) (as string, err error) {
	forms := likely
	if d.only != "" {
		forms = []string{d.only}
	}
	for _, name := range forms {
		form, known := d.known.Lookup(name)
		if known != nil {
			continue
		}
		request := hello(base, form, d.model)
		in, done, err := request.Open(ctx, address)
		if why, words := refusal(err); why != "" {
			d.refusals = append(d.refusals, formRefusal{name, why, words})
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
		if len(d.data) == 0 {
			d.refusals = append(d.refusals, formRefusal{form: name, why: "an empty answer"})
			continue
		}
		if as = name; d.report.Sure() != recognize.Ambiguous {
			return as, nil
		}
	}
	if as == "" {
		return "", d.refusals
	}
	return as, nil
}

// formRefusals are the forms of request that a server has refused.
type formRefusals []formRefusal

type formRefusal struct {
	form, why string
	words     string // of the server
}

// Error is "the agent takes none of the forms of request that were tried: 422 to agui, openai-chat; to agui it says: prompt is missing".
func (rs formRefusals) Error() string {
	var b strings.Builder
	b.WriteString("the agent takes none of the forms of request that were tried: ")
	for i, r := range rs {
		switch {
		case i > 0 && r.why == rs[i-1].why:
			b.WriteString(", " + r.form)
		case i > 0:
			b.WriteString("; " + r.why + " to " + r.form)
		default:
			b.WriteString(r.why + " to " + r.form)
		}
	}
	if i := slices.IndexFunc(rs, func(r formRefusal) bool { return r.words != "" }); i >= 0 {
		b.WriteString("; to " + rs[i].form + " it says: " + rs[i].words)
	}
	return b.String()
}

// refusal says how a server has refused a form of request, and in which words: by a status, or as home-made ones do whose handler fails, by
// hanging up. It is "" for what is no refusal of the form.
func refusal(err error) (why, words string) {
	var refused *fetch.StatusError
	switch {
	case errors.As(err, &refused) && refusesForm(refused.Status):
		return strconv.Itoa(refused.Status), refused.Words()
	case errors.Is(err, io.EOF):
		return "no answer", ""
	}
	return "", ""
}

// hello is base with "Hello" in the form of a dialect.
func hello(base *fetch.Request, form *hub.Dialect, model string) fetch.Request {
	request := *base
	request.Body = string(form.HelloTo(model))
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

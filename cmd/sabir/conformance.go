package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/conform"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/cmd/sabir/internal/fetch"
	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/printable"
)

// upstreamFlags say which server is checked.
type upstreamFlags struct {
	upstream string // its URL, or its name in the configuration
	from     string
	model    string
	request  fetch.Request
	data     string
	timeout  time.Duration
	declare  []string
}

// examined is one run of a server, held against the rules of its dialect.
type examined struct {
	url      string
	dialect  *hub.Dialect
	form     *hub.Dialect // of its requests
	found    bool         // what it speaks was found out by asking at the URL
	options  hub.Options
	framing  wire.Framing
	asked    fetch.Request
	answer   []byte
	cut      error // why the answer was not read to its end
	records  int64
	broken   []conform.Violation
	findings [][]conform.Violation // of each rule
}

// Bounds of what is read and shown of an answer.
const (
	maxExamined  = 16 << 20
	maxShown     = 2 << 10 // of one record
	maxOfOneRule = 5
)

// checkUpstream asks a server once, and reports which rules of its dialect the answer breaks.
func checkUpstream(ctx context.Context, path string, f *upstreamFlags, stdout, stderr io.Writer) error {
	var known catalog
	if problems := known.declareFiles(f.declare); len(problems) > 0 {
		return usageError{errors.Join(problems...)}
	}
	x, err := f.find(ctx, path, &known, stderr)
	if err != nil {
		return err
	}
	if x.asked.Body, err = fetch.Body(f.data); err != nil {
		return usageError{fmt.Errorf("--data: %w", err)}
	}
	if f.data == "" {
		x.asked = hello(&x.asked, x.form, f.model)
		if err := x.aim(); err != nil {
			return err
		}
	}
	if err := lacking(x.ask(ctx, f.timeout), x.dialect); err != nil {
		return withAdvice(x.bodyless(inWords(err)))
	}
	x.read()
	if _, err := stdout.Write(printable.Escape([]byte(x.report()))); err != nil {
		return err
	}
	if len(x.broken) > 0 {
		return fmt.Errorf("%s of %s broken", count(len(x.findings), "rule"), x.dialect.Name)
	}
	return nil
}

// bodyless says of a refusal what helps where nothing was sent, as the dialect has no form for requests.
func (x *examined) bodyless(err error) error {
	var refused *fetch.StatusError
	if x.asked.Body != "" || !errors.As(err, &refused) {
		return err
	}
	return fmt.Errorf("%w; requests of %s have no form that is known, so it was asked without a body: give one with --data", err, x.form.Name)
}

// find is the server, by its URL or by its name in the configuration.
func (f *upstreamFlags) find(ctx context.Context, path string, known *catalog, stderr io.Writer) (x *examined, err error) {
	x = &examined{url: f.upstream, asked: f.request}
	from, form, given := f.from, "", map[string]any(nil)
	if !isHTTP(f.upstream) {
		up, err := f.configured(path, known, stderr)
		if err != nil {
			return nil, err
		}
		x.url, x.framing, given, from, form = up.URL.String(), framingOf(up.Framing), up.Options, up.Dialect, up.RequestDialect
		for name, value := range up.Headers.Set {
			x.asked.Header = append(x.asked.Header, name+": "+string(value))
		}
	}
	if from == "" {
		o := oneRoute{to: x.url, model: f.model}
		if from, err = findOut(ctx, &o, known, stderr); err != nil {
			return nil, err
		}
		f.model, form, x.found = o.model, o.form, !o.base
	}
	if x.dialect, err = known.Lookup(from); err != nil {
		return nil, usageError{err}
	}
	if x.form, err = known.Lookup(cmp.Or(form, from)); err != nil {
		return nil, usageError{err}
	}
	options, problems := x.dialect.ParseOptions(given)
	x.options = options
	return x, errors.Join(problems...)
}

// configured is an upstream of the configuration.
func (f *upstreamFlags) configured(path string, known *catalog, stderr io.Writer) (*config.Upstream, error) {
	cfg, err := load(path, known, stderr)
	if err != nil {
		return nil, err
	}
	up := cfg.Upstreams[f.upstream]
	switch {
	case up == nil:
		return nil, usageError{fmt.Errorf("%s has no upstream %q, and it is no URL either", path, f.upstream)}
	case up.URL.Scheme != "http" && up.URL.Scheme != "https":
		return nil, usageError{fmt.Errorf("upstream %q is not asked by HTTP; conformance: observe on a route checks its runs", f.upstream)}
	case up.Request != "" && f.data == "":
		body, err := adapters.HelloBy(up.Request)
		f.data = string(body)
		return up, err
	}
	return up, nil
}

func framingOf(name string) wire.Framing {
	framing, err := wire.ParseFraming(name)
	if err != nil {
		return wire.Auto
	}
	return framing
}

// aim finds out where a run is asked for, if the URL is the base of a server that keeps sessions, as routes take it.
func (x *examined) aim() error {
	server := x.dialect.Sessions
	base, err := url.Parse(x.url)
	switch {
	case err != nil:
		return usageError{fmt.Errorf("--upstream: %w", err)}
	case x.found || x.form != x.dialect || !server.HasBase() || !server.IsBase(base.Path):
		return nil
	case server.Listen != nil:
		return usageError{fmt.Errorf("%s tells of all its runs on one stream, which takes more than one request; conformance: observe on a route checks its runs", x.dialect.Title)}
	}
	x.url = base.JoinPath(server.Run(hub.Hello())...).String()
	return nil
}

// sum is how much is wrong.
func (x *examined) sum() string {
	if len(x.broken) == 0 {
		return "no rule is broken"
	}
	return count(len(x.broken), "violation") + " of " + count(len(x.findings), "rule")
}

// ask asks, and reads the answer to its end, or as far as it comes in time.
func (x *examined) ask(ctx context.Context, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	in, done, err := x.asked.Open(ctx, x.url)
	if err != nil {
		return err
	}
	defer done()
	x.answer, x.cut = io.ReadAll(io.LimitReader(in, maxExamined+1))
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		x.cut = fmt.Errorf("it had not ended after %s", timeout)
	case len(x.answer) > maxExamined:
		x.cut, x.answer = errors.New("it is longer than 16 MiB"), x.answer[:maxExamined]
	}
	return nil
}

// read finds the rules that the answer breaks.
func (x *examined) read() {
	c := conform.New(conform.Config{Dialect: x.dialect, Options: x.options, Framing: x.framing, Report: func(v conform.Violation) { x.broken = append(x.broken, v) }})
	c.Answer(&hub.Request{})
	err := c.Feed(x.answer, x.cut == nil)
	x.records = c.Records()
	switch {
	case err != nil:
		c.Finish(hub.Fail(hub.CodeMalformed, err))
	case x.cut == nil:
		c.Finish(nil)
	}
	for _, r := range hub.Rules() {
		var of []conform.Violation
		for _, v := range x.broken {
			if v.Rule == r {
				of = append(of, v)
			}
		}
		if of != nil {
			x.findings = append(x.findings, of)
		}
	}
}

// report is what was found, in Markdown, for those who wrote the server.
func (x *examined) report() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# A run of %s, and the rules of %s\n\n", publicURL(x.url), x.dialect.Name)
	fmt.Fprintf(&b, "Checked by sabir %s: %s, %s.\n", versionName(), count(int(x.records), "record"), x.sum())
	if x.cut != nil {
		fmt.Fprintf(&b, "The answer was not read to its end: %s.\n", x.cut)
	}
	fmt.Fprintf(&b, "\n## What was asked\n\n```\n%s %s\n\n%s\n```\n", methodOf(&x.asked), publicURL(x.url), x.asked.Body)
	for _, of := range x.findings {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", of[0].Rule, of[0].Rule.Says())
		for i, v := range of {
			if i == maxOfOneRule {
				fmt.Fprintf(&b, "- and %d more\n", len(of)-i)
				break
			}
			b.WriteString(x.place(v))
		}
	}
	fmt.Fprintf(&b, "\n## What came\n\n```\n%s\n```\n", shortened(x.answer, 8*maxShown))
	return b.String()
}

// place says where a rule is broken: the record, the byte, the member, and what stands there.
func (x *examined) place(v conform.Violation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "- record %d", v.Record)
	if v.Record > x.records {
		b.Reset()
		b.WriteString("- the end of the stream")
	}
	if v.Offset >= 0 {
		fmt.Fprintf(&b, ", byte %d", v.Offset)
	}
	if v.Path != "" {
		fmt.Fprintf(&b, ", `%s`", v.Path)
	}
	if v.Detail != "" {
		b.WriteString(": " + v.Detail)
	}
	b.WriteByte('\n')
	if v.Offset >= 0 && v.Offset < int64(len(x.answer)) {
		line := lineAt(x.answer, int(v.Offset))
		fmt.Fprintf(&b, "\n  ```\n  %s\n  ```\n", shortened(line, maxShown))
	}
	return b.String()
}

// lineAt is the line in which a byte stands, or the first behind it that is not empty.
func lineAt(p []byte, at int) []byte {
	begin := bytes.LastIndexByte(p[:at], '\n') + 1
	line, _, _ := bytes.Cut(bytes.TrimLeft(p[begin:], "\r\n"), []byte("\n"))
	return bytes.TrimSpace(line)
}

func shortened(p []byte, most int) string {
	text := strings.ToValidUTF8(string(p[:min(len(p), most)]), "\uFFFD")
	if len(p) > most {
		return text + fmt.Sprintf(" … (%d bytes)", len(p))
	}
	return strings.TrimRight(text, "\r\n")
}

func methodOf(r *fetch.Request) string {
	switch {
	case r.Method != "":
		return r.Method
	case r.Body != "":
		return "POST"
	}
	return "GET"
}

// publicURL is a URL without what may be a key.
func publicURL(address string) string {
	address, _, _ = strings.Cut(address, "?")
	scheme, rest, _ := strings.Cut(address, "://")
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		rest = rest[at+1:]
	}
	return scheme + "://" + rest
}

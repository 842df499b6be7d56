package config

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// update rewrites what is generated: schema.json ("go generate ./config" sets it) and testdata/*.good.out.
var update = flag.Bool("update", false, "rewrite generated files")

// environment is what the tests run in.
var environment = map[string]string{
	"TOKEN":   "s3cret",
	"EMPTY":   "",
	"IDLE":    "90s",
	"STREAMS": "12",
	"YES":     "true",
	"NUMBER":  "10",
	"INJECT":  "a\nadmin: b\n[c]",
	"DOLLAR":  "${TOKEN}",
	"LATIN":   "\xe9",
	"URL":     "http://user:s3cret@agent",
}

func env(name string) (string, bool) {
	v, ok := environment[name]
	return v, ok
}

// house is a registry: dialects and the type of each of their options.
type house map[string]map[string]string

var registry = house{
	"evolve":     {"lifecycle": "bool", "tools": "map[string]interface {}", "limit": "int"},
	"agentevent": {"match": "string"},
	"agui":       {"reasoning": "bool"},
	"claude-cli": nil,
}

func (house) CheckProcess(dialect string) error {
	if dialect != "claude-cli" {
		return errors.New("agents of " + dialect + " cannot be run as processes")
	}
	return nil
}

func (house) AsksInTurn(dialect string) bool { return dialect == "claude-cli" }

func (house) LacksModel(client, form string) bool { return client == "agui" && form == "agentevent" }

func (house) TakesAnswers(dialect string) bool { return dialect == "agentevent" }

func (house) CheckProcessClient(dialect string) error {
	if dialect == "agentevent" {
		return errors.New("requests of agentevent cannot be read")
	}
	return nil
}

func (house) CheckRequest(template string) error {
	if strings.Contains(template, "$bad") {
		return errors.New("has no field bad")
	}
	return nil
}

func (house) CheckRequestDialect(name string) error {
	if name == "evolve" {
		return errors.New("requests of evolve are not written")
	}
	return nil
}

func (house) CheckPattern(expr string, _ int) error {
	if strings.Contains(expr, "bad") {
		return errors.New("is no pattern")
	}
	return nil
}

func (h house) Check(name, side string, options map[string]any) (problems []error) {
	known, ok := h[name]
	if !ok {
		return []error{fmt.Errorf("there is no dialect %q; there is: agentevent, agui, claude-cli, evolve", name)}
	}
	if name == "agui" && side == "upstream" {
		problems = append(problems, errors.New("agui cannot be read"))
	}
	for key, value := range options {
		if got := fmt.Sprintf("%T", value); got != known[key] {
			problems = append(problems, fmt.Errorf("option %s of %s: want %q, not %s", key, name, known[key], got))
		}
	}
	if options["lifecycle"] == true && options["limit"] == 0 {
		problems = append(problems, errors.New("lifecycle needs a limit"))
	}
	return problems
}

func files(t testing.TB, patterns ...string) (list []string) {
	t.Helper()
	for _, p := range patterns {
		found, err := filepath.Glob(p)
		if err != nil || len(found) == 0 {
			t.Fatalf("no files %s: %v", p, err)
		}
		list = append(list, found...)
	}
	return list
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// parseText loads one text, which must be good.
func parseText(t *testing.T, text string) *Config {
	t.Helper()
	c, err := Parse("sabir.yaml", []byte(text), registry, env)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestGood loads good files and compares the whole configuration, defaults included, with the file beside it.
func TestGood(t *testing.T) {
	for _, file := range files(t, "testdata/*.good.yaml") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			c, err := Load(file, registry, env)
			if err != nil {
				t.Fatal(err)
			}
			golden := strings.TrimSuffix(file, ".yaml") + ".out"
			if *update {
				if err := os.WriteFile(golden, []byte(c.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(read(t, golden)), c.String()); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
		})
	}
}

// TestBad loads bad files. Each says what is wrong with it in comments "want: LINE:COLUMN: PATH: MESSAGE".
func TestBad(t *testing.T) {
	for _, file := range files(t, "testdata/*.bad.yaml") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			var want []string
			for line := range strings.Lines(string(read(t, file))) {
				if _, problem, ok := strings.Cut(line, "# want: "); ok {
					want = append(want, file+":"+strings.TrimSpace(problem))
				}
			}
			_, err := Load(file, registry, env)
			var got Problems
			if !errors.As(err, &got) {
				t.Fatalf("want problems, got: %v", err)
			}
			if diff := cmp.Diff(want, strings.Split(got.Error(), "\n")); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
		})
	}
}

// The configuration that must keep working as it is written here.
const minimal = `listen: 127.0.0.1:8080
admin: 127.0.0.1:9090
upstreams:
  agent:
    url: http://127.0.0.1:9000/stream
    dialect: evolve
routes:
  - path: /agui
    upstream: agent
    client: agui
`

func TestMinimal(t *testing.T) {
	c, err := Load("../examples/minimal.yaml", registry, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(read(t, "../examples/minimal.yaml")); got != minimal {
		t.Errorf("examples/minimal.yaml has changed:\n%s", got)
	}
	if c.Listen != "127.0.0.1:8080" || c.Admin.Listen != "127.0.0.1:9090" {
		t.Errorf("addresses %q and %q", c.Listen, c.Admin.Listen)
	}
	u, r := c.Upstreams["agent"], c.Routes[0]
	if u.Name != "agent" || u.URL.String() != "http://127.0.0.1:9000/stream" || u.Dialect != "evolve" || u.Settle != nil {
		t.Errorf("upstream %+v", u)
	}
	if r.Path != "/agui" || r.Upstream != "agent" || r.Client != "agui" || len(r.Headers.Allow) != 18 {
		t.Errorf("route %+v", r)
	}
}

// TestManualStatesDefaults compares the annotated example, where it can be left out, with a file that leaves it out.
func TestManualStatesDefaults(t *testing.T) {
	manual, err := Load("../examples/sabir.yaml", registry, nil)
	if err != nil {
		t.Fatal(err)
	}
	if coder := manual.Upstreams["coder"]; !coder.Process.isUsual() || manual.Routes[1].Asks != usualAsks {
		t.Errorf("the manual says of processes and questions: %+v, %+v", coder.Process, manual.Routes[1].Asks)
	}
	for _, name := range []string{"remote", "chat", "coder"} {
		delete(manual.Upstreams, name)
	}
	manual.Routes = manual.Routes[:1]
	if diff := cmp.Diff(parseText(t, minimal).String(), manual.String()); diff != "" {
		t.Errorf("the defaults are -, the manual says +:\n%s", diff)
	}
}

func TestInheritance(t *testing.T) {
	c := parseText(t, `
routes:
  - {path: /a, upstream: x, client: agui, timeouts: {write: 7s}, limits: {streams: 3}, cors: {credentials: true}}
  - {path: /b, upstream: x, client: agui, cors: {origins: []}, methods: [POST], headers: {allow: [X-Tenant]}}
upstreams:
  x: {url: "http://h", dialect: evolve, timeouts: {idle: 1s}, settle: 0}
listen: :0
limits: {request_body: 1KB}
timeouts: {idle: 9s, connect: 8s, write: 6s, keepalive: 0}
cors: {origins: ["http://localhost:3000"]}
`)
	a, b, x := c.Routes[0], c.Routes[1], c.Upstreams["x"]
	f := func(got, want any) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	zero := time.Duration(0)
	f(x.Timeouts, UpstreamTimeouts{Connect: 8 * time.Second, FirstByte: time.Minute, Idle: time.Second, IdleConnection: 4 * time.Second})
	f(x.Settle, &zero)
	f(a.Timeouts, RouteTimeouts{Write: 7 * time.Second})
	f(b.Timeouts, RouteTimeouts{Write: 6 * time.Second})
	f(a.Limits, RouteLimits{Streams: 3, RequestBody: 1000})
	f(b.Limits, RouteLimits{RequestBody: 1000})
	f(a.CORS, CORS{Origins: []string{"http://localhost:3000"}, Credentials: true})
	f(b.CORS, CORS{Origins: []string{}})
	f(b.Methods, []string{"POST"})
	f(b.Headers.Allow, []string{"x-tenant"})
	f(c.Timeouts.Drain, 30*time.Second)
}

func TestOptionTypes(t *testing.T) {
	d := house{"evolve": nil, "agui": {"r": "bool"}}
	c, err := Parse("sabir.yaml", []byte(`
listen: :0
upstreams:
  x:
    url: http://h
    dialect: evolve
    options: {b: yes, t: true, i: 7, f: 1.5, s: "7", d: 2020-01-01, l: [1, a], m: {k: v}, e: "${NUMBER}"}
routes:
  - path: /a
    upstream: x
    client: auto
    default: agui
    options: {agui: {r: true}}
`), nil, env)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"b": "yes", "t": true, "i": 7, "f": 1.5, "s": "7", "d": "2020-01-01", "e": "10",
		"l": []any{1, "a"}, "m": map[string]any{"k": "v"},
	}
	if diff := cmp.Diff(want, c.Upstreams["x"].Options); diff != "" {
		t.Error(diff)
	}
	r := c.Routes[0]
	if errs := d.Check("agui", "client", r.OptionsFor("agui")); errs != nil || len(r.OptionsFor("agui")) != 1 {
		t.Errorf("options %v, %v", r.OptionsFor("agui"), errs)
	}
	if got := r.OptionsFor("evolve"); got != nil {
		t.Errorf("options of a dialect that has none: %v", got)
	}
}

// TestSecrets checks that nothing prints what must stay hidden.
func TestSecrets(t *testing.T) {
	c := parseText(t, `
listen: :0
upstreams:
  x:
    url: https://h/stream?key=${TOKEN}
    dialect: evolve
    headers: {set: {Authorization: "Bearer ${TOKEN}"}}
routes: [{path: /a, upstream: x, client: agui}]
`)
	if got := string(c.Upstreams["x"].Headers.Set["Authorization"]); got != "Bearer s3cret" {
		t.Errorf("the header is %q", got)
	}
	set := c.Upstreams["x"].Headers
	for _, printed := range []string{c.String(), fmt.Sprint(c), fmt.Sprintf("%+v %#v %q", set, set, set)} {
		if strings.Contains(printed, "s3cret") || !strings.Contains(printed, "hidden") {
			t.Errorf("printed: %s", printed)
		}
	}

	_, err := Parse("sabir.yaml", []byte(`
listen: :0
upstreams:
  x:
    url: ${URL}
    dialect: evolve
    headers: {set: {A: "${INJECT}", "b b": "${TOKEN}"}}
routes: [{path: /a, upstream: x, client: agui}]
`), registry, env)
	if err == nil || strings.Contains(err.Error(), "s3cret") || strings.Contains(err.Error(), "admin") {
		t.Errorf("reported: %v", err)
	}
}

// TestReferencesCannotInject checks that a variable stays one value, whatever it holds.
func TestReferencesCannotInject(t *testing.T) {
	_, err := Parse("sabir.yaml", []byte("listen: ${INJECT}\n"), registry, env)
	if err == nil || !strings.Contains(err.Error(), `"a\nadmin: b\n[c]" is not an address`) {
		t.Errorf("reported: %v", err)
	}
}

// TestParseReadsNoFiles: what a configuration names need not be there where only its text is judged.
func TestParseReadsNoFiles(t *testing.T) {
	const text = "listen: 127.0.0.1:1\ndialects: {mine: /nowhere/mine.yaml}\nupstreams: {a: {url: https://h/, dialect: native, tls: {ca: /nowhere/ca.pem}}}\nroutes: [{path: /run, upstream: a, client: native}]\n"
	c, err := Parse("sabir.yaml", []byte(text), nil, env)
	if err != nil || c.Declared != nil {
		t.Errorf("%v, %v", c, err)
	}
	file := filepath.Join(t.TempDir(), "sabir.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(file, nil, env); err == nil || !strings.Contains(err.Error(), "mine.yaml") || !strings.Contains(err.Error(), "ca.pem") {
		t.Errorf("read from a file: %v", err)
	}
}

// TestProcessesWithoutDialects: where the dialects are not known, the client of an agent that is a program is not checked.
func TestProcessesWithoutDialects(t *testing.T) {
	const text = "listen: 127.0.0.1:1\nupstreams: {a: {command: [claude], dialect: claude-cli}}\nroutes: [{path: /run, upstream: a, client: agui}]\n"
	if c, err := Parse("sabir.yaml", []byte(text), nil, nil); err != nil || c.Routes[0].Client != "agui" {
		t.Errorf("%v, %v", c, err)
	}
}

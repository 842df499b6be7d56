package proxy

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

// wires are the recorded streams of a dialect, by the names of their files; those that need options are left out.
func wires(t *testing.T, d *hub.Dialect) map[string]string {
	t.Helper()
	folder := "../adapters/" + strings.ReplaceAll(d.Name, "-", "") + "/testdata"
	files, err := filepath.Glob(folder + "/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no streams in %s: %v", d.Name, folder, err)
	}
	all := map[string]string{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var body string
		plain := true
		for _, section := range txtar.Parse(data).Files {
			switch section.Name {
			case "options":
				plain = false
			case "wire":
				body = string(section.Data)
			}
		}
		if body != "" && plain {
			all[filepath.Base(f)] = body
		}
	}
	return all
}

// TestFixtures moves the recorded streams of every dialect to clients of the others, each stream to two of them: what
// arrives is what the codec makes of it in memory. The whole product is the business of the codec's own tests.
func TestFixtures(t *testing.T) {
	t.Parallel()
	targets := slices.DeleteFunc(slices.Clone(adapters.All()), func(d *hub.Dialect) bool { return d.NewEncoder == nil })
	for _, from := range adapters.All() {
		all := wires(t, from)
		if len(all) == 0 || from.NewDecoder == nil {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(targets), func(d *hub.Dialect) bool { return d == from }) // its own clients get a copy
		t.Run(from.Name, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, func(p *peer) {
				for p.request() != nil {
					p.ok()
					body := all[string(p.body)]
					p.chunk(body[:len(body)/2])
					p.finish(body[len(body)/2:])
				}
			})
			yaml := fmt.Sprintf("listen: 127.0.0.1:0\nupstreams:\n  agent: {url: %s, dialect: %s}\nroutes:\n", a.url(), from.Name)
			for _, to := range others {
				yaml += fmt.Sprintf("  - {path: /%s, upstream: agent, client: %s, errors: {expose: true}, shape: {ids: agent}, requests: {mode: pass}}\n", to.Name, to.Name)
			}
			r := start(t, yaml)
			c := r.dial()
			for i, name := range slices.Sorted(maps.Keys(all)) {
				for _, to := range []*hub.Dialect{others[i%len(others)], others[(i+1)%len(others)]} {
					c.ask("POST", "/"+to.Name, name)
					resp, got := c.whole()
					want, f := inMemory(t, from, to, all[name])
					if resp.StatusCode != 200 {
						if f == nil || resp.StatusCode != f.HTTPStatus() {
							t.Errorf("%s to %s: status %d for %v", name, to.Name, resp.StatusCode, f)
						}
						continue
					}
					if got != want {
						t.Errorf("%s to %s: got\n%s, want\n%s", name, to.Name, got, want)
					}
				}
			}
		})
	}
}

// inMemory is what the codec makes of a body.
func inMemory(t *testing.T, from, to *hub.Dialect, body string) (string, *hub.Failure) {
	t.Helper()
	c := engine.NewCodec(engine.Config{From: from, FromOptions: from.Defaults(), To: to, ToOptions: to.Defaults(), EndGrace: from.EndGrace}, wire.Auto)
	var out strings.Builder
	var cause *hub.Failure
	for rest := []byte(body); ; {
		n, err := c.Feed(rest, true)
		out.Write(c.Take())
		if err != nil {
			cause = asFailure(err)
		}
		if rest = rest[n:]; n == 0 || cause != nil {
			break
		}
	}
	f := c.Finish(cause)
	out.Write(c.Take())
	return out.String(), f
}

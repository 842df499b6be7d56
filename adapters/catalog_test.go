package adapters

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// withDialects puts dialects of the test's own in the place of the registry.
func withDialects(t *testing.T, list ...*hub.Dialect) {
	before := all
	all = list
	t.Cleanup(func() { all = before })
}

func TestCatalog(t *testing.T) {
	decode := func(hub.Options) hub.Decoder { return nil }
	encode := func(hub.Options) hub.Encoder { return nil }
	withDialects(t,
		&hub.Dialect{Name: "both", NewDecoder: decode, NewEncoder: encode, Options: []hub.OptionSpec{
			{Name: "in", Type: hub.OptionInt, Default: "1", Decode: true},
			{Name: "out", Type: hub.OptionBool, Default: "true", Encode: true},
			{Name: "always", Type: hub.OptionText, Decode: true, Encode: true},
		}},
		&hub.Dialect{Name: "source", NewDecoder: decode},
		&hub.Dialect{Name: "target", NewEncoder: encode},
	)
	f := func(name, side string, options map[string]any, want ...string) {
		t.Helper()
		var got []string
		for _, err := range new(Catalog).Check(name, side, options) {
			got = append(got, err.Error())
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s as %s with %v:\n got %q\nwant %q", name, side, options, got, want)
		}
	}
	f("both", Upstream, nil)
	f("both", Client, nil)
	f("source", Upstream, nil)
	f("target", Client, nil)
	f("both", Upstream, map[string]any{"in": 3, "always": "x"})
	f("both", Client, map[string]any{"out": "false", "always": "x"})

	f("boht", Client, map[string]any{"in": 3}, `there is no dialect "boht"; there is: both, source, target`)
	f("source", Client, nil, "source cannot be used for the client, as its streams are not written; there is: both, target")
	f("target", Upstream, nil, "target cannot be used for the upstream, as its streams are not read; there is: both, source")
	f("both", Client, map[string]any{"in": 3}, "option in of both means nothing for the client; it changes how the dialect is read")
	f("both", Upstream, map[string]any{"in": "x", "out": true, "no": 1},
		`option in of both: want a whole number that is not negative, not "x"`,
		`both has no option "no"; it has: in, out, always`,
		"option out of both means nothing for the upstream; it changes how the dialect is written")
}

// TestPrograms: only agents whose dialect has a driver are run, and only clients whose requests are read can ask them.
func TestPrograms(t *testing.T) {
	var c Catalog
	for _, name := range []string{"claude-cli", "acp", "codex-app-server", "codex-cli", "cursor-cli", "gemini-cli", "no-such-dialect"} {
		if err := c.CheckProcess(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := c.CheckProcess("agui"); err == nil || !strings.Contains(err.Error(), "acp, claude-cli, codex-app-server, codex-cli, copilot, cursor-cli, gemini-cli") {
		t.Errorf("agui: %v", err)
	}
	for _, name := range []string{"aisdk", "agui", "openai-chat", "no-such-dialect"} {
		if err := c.CheckProcessClient(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := c.CheckProcessClient("evolve"); err == nil || !strings.Contains(err.Error(), "evolve") {
		t.Errorf("evolve: %v", err)
	}
}

package declared_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
)

// change makes another document of the example.
type change func(doc map[string]any)

// tools sets a key of the section tools.
func tools(key string, val any) change {
	return func(doc map[string]any) { doc["tools"].(map[string]any)[key] = val }
}

// changed are the fixtures with options. The declared dialect has none: its document says the same in one line or two.
var changed = map[string]change{
	"no_result_sequential": tools("sequential", true),
	"parallel_lifo":        tools("match", "lifo"),
	"parallel_unserialised": func(doc map[string]any) {
		tools("serialise", false)(doc)
	},
	"thoughts_drop": func(doc map[string]any) {
		doc["encode"] = slices.DeleteFunc(doc["encode"].([]any), func(rule any) bool {
			kept := slices.DeleteFunc(writes(rule), func(write any) bool { return strings.Contains(write.(string), "thought") })
			rule.(map[string]any)["write"] = kept
			return len(kept) == 0
		})
	},
	"parallel_extensions": func(doc map[string]any) {
		for _, rule := range doc["encode"].([]any) {
			all := writes(rule)
			for i := range all {
				write := strings.Replace(all[i].(string), `"toolName"`, `"callId":"$id","toolName"`, 1)
				all[i] = strings.TrimSuffix(write, "}") + `,"seq":$seq,"at":$time}`
			}
			rule.(map[string]any)["write"] = all
		}
		doc["encode"] = append(doc["encode"].([]any), map[string]any{
			"on": "usage", "write": `{"type":"context_usage","used":$usage.context_used,"total":$usage.context_size,"seq":$seq}`,
		})
	},
}

// outOfReach are the fixtures that the language cannot say, and why.
var outOfReach = map[string]string{
	"llm_call_text":           "text_tools: the name of a tool makes answer text of its output, and a notice of its failure",
	"sub_agent":               "lanes: the text of a sub-agent is shown inside the call that runs it",
	"sub_agent_forwarded":     "lanes: likewise, with its other events wrapped",
	"sub_agent_outlives_tool": "lanes: likewise, and a call is made for it when its own has ended",
	"sub_agent_own_card":      "lanes: a call is made for a sub-agent that has none",
	"plans_twice":             "plans: a plan is shown as a call, unless another call has written it",
	"v2_to_v1":                "reading version 2: the conversation is named by an earlier record than the start of the run",
}

// writes are the records that a rule writes, one or a list.
func writes(rule any) []any {
	if all, several := rule.(map[string]any)["write"].([]any); several {
		return all
	}
	return []any{rule.(map[string]any)["write"]}
}

// ownWords are messages of the Go dialect that speak of its types. The declared one says that it wants a string.
var ownWords = strings.NewReplacer(
	"a tool_call needs the name of its tool", "want a string",
	"a tool event needs a toolName or a callId", "want a string",
)

// TestAgentEvent runs the fixtures of the Go dialect through the declared one: decoded whole and cut anywhere, encoded byte
// for byte, and through every other encoder. Those that write version 2 concern another document.
func TestAgentEvent(t *testing.T) {
	doc := func() map[string]any { return document(t, filepath.Join(examples, "agentevent.yaml")) }
	plain, seen := map[string]*txtar.Archive{}, map[string]bool{}
	for name, f := range agentEventFixtures(t) {
		options := section(f, "options")
		if strings.Contains(options, "version=2") {
			continue
		}
		seen[name] = true
		change := changed[name]
		switch {
		case outOfReach[name] != "":
		case change != nil:
			t.Run(name, func(t *testing.T) {
				changed := doc()
				change(changed)
				runFixtures(t, changed, map[string]*txtar.Archive{name: f})
			})
		case options != "":
			t.Errorf("%s has options; say how the document says them, or why it cannot", name)
		default:
			plain[name] = f
		}
	}
	runFixtures(t, doc(), plain)
	for name := range changed {
		if !seen[name] {
			t.Errorf("there is no fixture %s to change the document for", name)
		}
	}
	for name := range outOfReach {
		if !seen[name] {
			t.Errorf("there is no fixture %s to be out of reach", name)
		}
	}
	t.Logf("%d fixtures, %d with a changed document, %d out of reach", len(plain)+len(changed), len(changed), len(outOfReach))
}

// agentEventFixtures reads the fixtures of the Go dialect, by name.
func agentEventFixtures(t testing.TB) map[string]*txtar.Archive {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(here, "../agentevent/testdata/*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	all := map[string]*txtar.Archive{}
	for _, p := range paths {
		f, err := txtar.ParseFile(p)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(p), ".txtar")] = f
	}
	return all
}

func section(f *txtar.Archive, name string) string {
	for _, file := range f.Files {
		if file.Name == name {
			return string(file.Data)
		}
	}
	return ""
}

// runFixtures runs the harness over fixtures without their options. It has the name of the Go dialect, for the sake of the
// errors and unknown records in them.
func runFixtures(t *testing.T, doc map[string]any, fixtures map[string]*txtar.Archive) {
	t.Helper()
	d := parse(t, "agentevent", doc)
	enter(t, writeFixtures(t, fixtures))
	adaptertest.Run(t, d)
}

// writeFixtures writes fixtures without their options into a folder.
func writeFixtures(t testing.TB, fixtures map[string]*txtar.Archive) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, f := range fixtures {
		own := &txtar.Archive{Comment: f.Comment}
		for _, file := range f.Files {
			if file.Name == "error" {
				file.Data = []byte(ownWords.Replace(string(file.Data)))
			}
			if file.Name != "options" {
				own.Files = append(own.Files, file)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name+".txtar"), txtar.Format(own), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

package adapters_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestWordsOfSources: what is quoted of a source, the document that it is, and the title and description of a file are written where the dialect of
// the client has a place for them, so that its decoder reads them again. Elsewhere the event counts as lost or folded.
func TestWordsOfSources(t *testing.T) {
	const (
		said = `{"kind":"text.delta","text":"It rains."}` + "\n"
		page = `{"kind":"source","id":"s","title":"T","text":"quoted words","file":{"url":"https://x/y"}}`
		doc  = `{"kind":"source","id":"s","title":"T","text":"quoted words","file":{"file_id":"file_9"}}`
		span = `{"kind":"source","id":"s","title":"T","value":{"start":3,"end":8},"file":{"url":"https://x/y"}}`
		link = `{"kind":"file","id":"f","title":"The title","text":"described","file":{"media":"text/plain","name":"n.txt","url":"https://x/n.txt"}}`
	)
	carried := map[string][]string{}
	for name, c := range map[string]struct {
		event string
		words []string
	}{
		"quote": {page, []string{"quoted words"}}, "document": {doc, []string{"quoted words"}}, "span": {span, []string{"3,", "8"}},
		"file": {link, []string{"The title", "described"}},
	} {
		for _, target := range adapters.All() {
			if target.NewEncoder == nil {
				continue
			}
			x := translate(t, target, "", said+c.event)
			read := shown(x.Strict)
			if target.Name == "copilot" { // whose extension the decoder leaves to the pump
				read = text(x)
			}
			for _, sent := range x.Sent {
				if sent.Kind != hub.Source && sent.Kind != hub.File || sent.Disposition >= hub.Folded {
					continue
				}
				carried[name] = append(carried[name], target.Name)
				for _, w := range c.words {
					if !strings.Contains(read, w) {
						t.Errorf("%s of a %s: %s is not read again, and does not count as lost", target.Name, name, w)
					}
				}
			}
		}
	}
	for name, want := range map[string]string{
		"quote":    "agui aisdk anthropic bedrock copilot datastream native openai-chat simplified",
		"document": "adk agui aisdk copilot gemini native simplified", "span": "agui aisdk copilot native openai-chat openai-responses",
		"file": "a2a acp agui aisdk copilot native",
	} {
		if got := strings.Join(carried[name], " "); got != want {
			t.Errorf("%s: carried by %q, want %q", name, got, want)
		}
	}
}

// shown are sources and files that were read.
func shown(evs []hub.Event) (all string) {
	for i := range evs {
		if ev := &evs[i]; ev.Kind == hub.Source || ev.Kind == hub.File {
			all += string(ev.Title) + " " + string(ev.Text) + " " + string(ev.Value) + "\n"
		}
	}
	return all
}

package demo

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/cmd/sabir/internal/term"
	"github.com/sabir-proxy/sabir/proxy"
)

// eventGist is the gist of a canonical event.
func eventGist(ev *hub.Event) gist {
	var values []string
	add := func(body []byte) {
		if len(body) > 0 {
			values = append(values, shown(unescape(body)))
		}
	}
	switch {
	case ev.Kind >= hub.TextStart && ev.Kind <= hub.TextEnd:
		if ev.Chan != hub.AnswerText && ev.Kind == hub.TextStart {
			values = append(values, ev.Chan.String())
		}
		add(ev.Text)
	case ev.Kind >= hub.ToolStart && ev.Kind <= hub.ToolEnd:
		add(ev.ID)
		if ev.Kind == hub.ToolStart {
			add(ev.Name)
		}
		if ev.Kind == hub.ToolEnd {
			values = append(values, ev.Status.String())
		}
		add(ev.Text)
		if ev.Text == nil && ev.Value != nil {
			values = append(values, string(ev.Value))
		}
	default:
		return summarize(native.Append(nil, ev))
	}
	return gist{ev.Kind.String(), strings.Join(values, " ")}
}

// unescape is the text that a string body stands for.
func unescape(body []byte) string {
	var text string
	if json.Unmarshal(append(append([]byte{'"'}, body...), '"'), &text) != nil {
		return string(body)
	}
	return text
}

// repairWords say what a repair means, for those that are not plain from their names.
var repairWords = map[sequencer.Repair]string{
	sequencer.Held:          "held for its tool call",
	sequencer.HoldExpired:   "no tool call came for it",
	sequencer.StartMade:     "its start is made up",
	sequencer.StartRepeated: "known: only an update",
	sequencer.EndMade:       "left open, ended",
	sequencer.TruncatedRun:  "cut: no clean finish",
	sequencer.TextRepeated:  "text not shown twice",
	sequencer.AfterEnd:      "after the end: dropped",
}

func repairNote(r sequencer.Repair, times uint32) string {
	words := repairWords[r]
	if words == "" {
		words = strings.ReplaceAll(r.String(), "_", " ")
	}
	if times > 1 {
		words += fmt.Sprintf(" (%d)", times)
	}
	return words
}

// dispositionWord says why there is no record for an event.
func dispositionWord(f hub.Disposition) string {
	switch f {
	case hub.Implied:
		return "goes without saying"
	case hub.Deferred:
		return "comes with a later one"
	case hub.Dropped:
		return "dropped: no place for it"
	}
	return f.String()
}

func (t *table) head(s *scenario, from, to *hub.Dialect) {
	t.block.loose = map[string]bool{}
	t.print(fmt.Sprintf("%s  %s\n\n", t.style.Paint(term.Bold, "One run through Sabir:"), s.about))
	mark := func(p term.Paint, mark string) string { return t.style.Paint(p, mark) }
	t.print(fmt.Sprintf("  %s made by Sabir   %s held back before   %s repaired\n\n",
		mark(term.Cyan, markMade), mark(term.Cyan, markHeld), mark(term.Yellow, markNote)))
	title := func(text string, column int) string { return t.style.Cell(term.Bold, text, t.columns[column]) }
	t.line("", title("agent sends "+from.Name, 0), "  "+title("Sabir understands", 1)+gap+title("client receives "+to.Name, 2))
	rule := func(n int) string { return strings.Repeat("─", n) }
	t.line(rule(numberWidth), rule(t.columns[0]), rule(t.columns[1]+2)+gap+rule(t.columns[2]))
}

// foot sums up.
func (t *table) foot(done *proxy.Translation) {
	t.print("\n")
	t.sum("read", count(int(done.Records), "record"))
	t.sum("events", fmt.Sprintf("%d, of which Sabir made %d", done.EventsOut, t.made))
	t.sum("written", count(t.client, "record"))
	t.sum("repairs", repairList(done))
	t.sum("losses", lossList(done))
	t.sum("ending", done.Ending.String())
	t.print("\nLive, with every dialect: " + t.style.Paint(term.Bold, t.program+" demo") + "\n")
}

func (t *table) sum(label, text string) {
	for _, line := range term.Wrap(text, t.style.Width-13) {
		t.print(fmt.Sprintf("  %-9s  %s\n", label, line))
		label = ""
	}
}

// count is "1 record" or "2 records".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprint(n, " ", what, "s")
}

func repairList(done *proxy.Translation) string {
	var parts []string
	for _, r := range sequencer.Repairs() {
		if n := done.Repairs[r]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", r, n))
		}
	}
	return orNone(parts)
}

// lossList names the events that the client's dialect could not carry in a form of its own.
func lossList(done *proxy.Translation) string {
	var parts []string
	for _, disposition := range []hub.Disposition{hub.Extension, hub.Folded, hub.Dropped} {
		for _, k := range hub.Kinds() {
			if n := done.Dispositions[k][disposition]; n > 0 {
				parts = append(parts, fmt.Sprintf("%s %s %d", k, disposition, n))
			}
		}
	}
	return orNone(parts)
}

func orNone(parts []string) string {
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

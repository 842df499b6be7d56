package adapters_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
	framing "github.com/sabir-proxy/sabir/adapters/wire"
)

// translate writes events in native notation, between a start and an end, with the encoder of another dialect. An option is
// key=value, or empty.
func translate(t *testing.T, target *hub.Dialect, option, events string) *adaptertest.Translation {
	t.Helper()
	evs, err := adaptertest.Events([]byte(`{"kind":"run.start"}` + "\n" + events + "\n" + `{"kind":"run.end","status":"done"}`))
	if err != nil {
		t.Fatal(err)
	}
	raw := map[string]any{}
	if key, val, ok := strings.Cut(option, "="); ok {
		raw[key] = val
	}
	options, problems := target.ParseOptions(raw)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return (&adaptertest.Stream{Loose: evs}).Translate(target, options)
}

// text is all that was written.
func text(x *adaptertest.Translation) string {
	var b strings.Builder
	for i := range x.Sent {
		b.Write(x.Sent[i].Bytes)
	}
	return b.String()
}

// member stands in the table of TestSurvives for a member of an event that is lost while the event itself is carried.
const member = "-"

// TestSurvives is SX-8: what a dialect can express arrives. For each thing and each of the five targets the table has what
// must stand in the output; "" where the dialect has no place, and says that it drops it.
func TestSurvives(t *testing.T) {
	f := func(events, word string, want ...string) {
		t.Helper()
		for i, target := range founders(t) {
			x := translate(t, target, "", events)
			got, dropped := text(x), false
			for j := range x.Sent {
				dropped = dropped || x.Sent[j].Disposition == hub.Dropped || x.Sent[j].Disposition == hub.Folded
			}
			switch {
			case want[i] != "" && want[i] != member && !strings.Contains(got, want[i]):
				t.Errorf("%s to %s: want %s in\n%s", events, target.Name, want[i], got)
			case (want[i] == "" || want[i] == member) && strings.Contains(got, word):
				t.Errorf("%s to %s: it does have a place, put it into the table\n%s", events, target.Name, got)
			case want[i] == "" && !dropped:
				t.Errorf("%s to %s: it is lost, and the fates do not say so\n%s", events, target.Name, got)
			}
		}
	}
	f(`{"kind":"notice","level":"intent","text":"Reading"}`, "Reading",
		`"type":"progress","data":{"message":"Reading"`, ``, `"type":"assistant.intent","ephemeral":true,"data":{"intent":"Reading"}`, ``, `"thought","content":"Reading"`)
	f(`{"kind":"notice","level":"status","text":"Reading","percent":30}`, "Reading",
		`"message":"Reading","current":30`, ``, `"infoType":"status","message":"Reading"`, ``, `"thought","content":"Reading"`)
	f(`{"kind":"notice","level":"error","text":"Slow"}`, "Slow",
		`"message":"Slow"`, `*Slow*`, `"type":"session.warning","data":{"warningType":"notification","message":"Slow"}`, `"error","message":"Slow","fatal":false`, `"thought","content":"Slow"`)
	f(`{"kind":"usage","scope":"run","usage":{"in":4711,"out":5},"model":"m"}`, "4711",
		`"input_tokens":4711,"output_tokens":5`, ``, `"inputTokens":4711,"outputTokens":5`, `"promptTokens":4711,"completionTokens":5`, ``)
	f(`{"kind":"usage","scope":"session","usage":{"context_used":4711,"context_size":9999}}`, "4711",
		``, ``, `"tokenLimit":9999,"currentTokens":4711`, `"usage_update","used":4711,"size":9999`, ``)
	f(`{"kind":"source","id":"1","title":"Docs","file":{"url":"https://example.org"}}`, "example.org",
		`"metadata":{"title":"Docs","url":"https://example.org"}`, `"citations": ["https://example.org"]`, `"title":"Docs","url":"https://example.org"`, ``, ``)
	f(`{"kind":"file","id":"f","file":{"media":"image/png","base64":"iVBORw0KGgo="}}`, "iVBORw0KGgo=",
		``, ``, `"data":"iVBORw0KGgo=","mimeType":"image/png"`, `{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}`, ``)
	f(`{"kind":"file","file":{"media":"image/png","url":"https://x/a.png"}}`, "https://x/a.png",
		``, `![](https://x/a.png)`, `"url":"https://x/a.png","mimeType":"image/png"`, `"mimeType":"image/png","uri":"https://x/a.png"`, ``)
	f(`{"kind":"data","op":"emit","id":"out_1","name":"caco.embed","value":{"outputId":"out_1","title":"A"}}`, "out_1",
		``, ``, `{"type":"caco.embed","data":{"outputId":"out_1","title":"A"}}`, `"name":"caco.embed","op":"emit","id":"out_1","value":{"outputId":"out_1","title":"A"}`, ``)
	call := func(start, end string) string {
		return `{"kind":"tool.start","id":"t","name":"Edit"` + start + "}\n" + `{"kind":"tool.ready","id":"t","value":{}}` + "\n" +
			`{"kind":"tool.end","status":"ok","id":"t"` + end + `}`
	}
	f(call(`,"tool_kind":"edit","locations":[{"path":"a.go","line":3}]`, ``), "a.go",
		member, `"sabir": {"tool_kind":"edit","locations":[{"path":"a.go","line":3}]}`, `"sabir":{"tool_kind":"edit","locations":[{"path":"a.go","line":3}]}`,
		`"locations":[{"path":"a.go","line":2}]`, member)
	f(call(``, `,"content":[{"type":"diff","path":"a.go","oldText":null,"newText":"b"}]`), "a.go",
		``, `a.go`, `"diff","path":"a.go","oldText":null,"newText":"b"`, `{"type":"diff","path":"a.go","oldText":null,"newText":"b"}`, `a.go`)
	f(call(``, `,"content":[{"type":"content","content":{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}}]`), "iVBORw0KGgo=",
		``, ``, `{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}`, `{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}`, `iVBORw0KGgo=`)
}

// TestPlansAcross is SX-6: a plan is written once, in the form of the target, whether the source has a plan, a call of a todo
// tool, or both.
func TestPlansAcross(t *testing.T) {
	const (
		plan = `{"kind":"plan","items":[{"content":"Look","status":"pending"}]}`
		call = `{"kind":"tool.start","id":"t","name":"todo_list"}
{"kind":"tool.ready","id":"t","name":"todo_list","value":{"todos":[{"content":"Look","status":"pending"}]}}
{"kind":"tool.end","status":"ok","id":"t","name":"todo_list","text":"ok"}`
	)
	options := []string{"", "", "", "", "plans=tool"}
	f := func(events string, want ...string) {
		t.Helper()
		for i, target := range founders(t) {
			got := text(translate(t, target, options[i], events))
			if n := strings.Count(got, "Look"); n != 1 || !strings.Contains(got, want[i]) {
				t.Errorf("to %s: %d times, want once %s\n%s", target.Name, n, want[i], got)
			}
		}
	}
	const todo, entries = `"type":"todo_update","data":{"todos":[{"content":"Look","status":"pending"}]}`, `"plan","entries":[{"content":"Look","status":"pending","priority":"medium"}]`
	f(plan, todo, `"event_type": "result", "tool_name": "todo_list"`, `"type":"sabir.plan","data":{"items":[{"step":"Look","status":"pending"}]}`, entries,
		`"toolName":"todo_list","toolArgs":"{\"todos\":[{\"content\":\"Look\"`)
	for _, both := range []string{call + "\n" + plan, plan + "\n" + call} {
		for i, want := range []string{todo, `"tool_name": "todo_list"`, `"toolName":"todo_list"`, entries, `"tool_call","toolName":"todo_list"`} {
			target := founders(t)[i]
			got := text(translate(t, target, options[i], both))
			once := strings.Count(got, "Look") == 1
			if target.Name == "pydantic" { // the summary of a call repeats its arguments, but there is one card only
				once = strings.Count(got, `"event_type": "call"`) == 1
			}
			if !once || !strings.Contains(got, want) {
				t.Errorf("to %s, repeated by the source: want once %s\n%s", target.Name, want, got)
			}
		}
	}
	for i, none := range []string{"tool_call", "", "", `"tool_call"`, ""} {
		if got := text(translate(t, founders(t)[i], options[i], call)); none != "" && strings.Contains(got, none) {
			t.Errorf("to %s: the call is shown beside the plan\n%s", founders(t)[i].Name, got)
		}
	}
}

// TestSubAgentsAcross is SX-7: the sub-agents of each dialect that has them arrive in the form of every other.
func TestSubAgentsAcross(t *testing.T) {
	forms := []string{`"type":"subagent_started"`, `"event_type": "delegation_call"`, `"type":"subagent.started"`, `"kind":"think"`, `"toolName":"delegate_to_`}
	// What a sub-agent says belongs to it, and not to the answer.
	says := []string{`"type":"subagent_data"`, `"event_type": "delegation_result"`, `"parentToolCallId":"`, `"tool_call_update"`, `"type":"tool_progress"`}
	fixtures := map[string]string{"simplified": "sub_agent", "pydantic": "delegation_parts", "copilot": "subagents_bare"}
	for _, source := range founders(t) {
		for _, s := range fixturesOf(t, source) {
			if s.Name != source.Name+"/"+fixtures[source.Name] {
				continue
			}
			for i, target := range founders(t) {
				x := s.Translate(target, target.Defaults())
				if got := text(x); !strings.Contains(got, forms[i]) || !strings.Contains(got, says[i]) {
					t.Errorf("%s to %s: want %s and %s in\n%s", s.Name, target.Name, forms[i], says[i], got)
				}
				if root := x.Read.Text("", hub.AnswerText); subAgentText(x) == "" || strings.Contains(root, subAgentText(x)) {
					t.Errorf("%s to %s: what the sub-agent says, %q, is in the answer %q", s.Name, target.Name, subAgentText(x), root)
				}
			}
			delete(fixtures, source.Name)
		}
	}
	for name, fixture := range fixtures {
		t.Errorf("there is no fixture %s/%s", name, fixture)
	}
}

// subAgentText is the answer text that was sent in sub-agents.
func subAgentText(x *adaptertest.Translation) (all string) {
	for i := range x.Sent {
		if ev := &x.Sent[i]; ev.Kind == hub.TextDelta && len(ev.SubAgent) > 0 && ev.Chan == hub.AnswerText {
			all += adaptertest.Plain(ev.Text)
		}
	}
	return all
}

// TestEndsAcross is SX-9: a good end, a failure and a cancelled run are three things in every dialect that can say so, and
// are never taken for a good end where it can say anything at all.
func TestEndsAcross(t *testing.T) {
	wires := map[string][]string{
		"simplified": {`{"type":"messageEnd","messageId":"m"}`, `{"type":"error","data":"no model"}`, `{"type":"error","data":"Request cancelled by user"}`},
		"copilot":    {`{"type":"session.idle","data":{}}`, `{"type":"session.error","data":{"message":"no model"}}`, `{"type":"session.idle","data":{"aborted":true}}`},
		"evolve": {`{"sandboxId":"s","sandbox":"ready","agent":"idle","timestamp":null,"reason":"run_complete"}`,
			`{"sandboxId":"s","sandbox":"ready","agent":"error","timestamp":null,"reason":"run_failed"}`,
			`{"sandboxId":"s","sandbox":"ready","agent":"interrupted","timestamp":null,"reason":"run_interrupted"}`},
		"agentevent": {`{"type":"final"}`, `{"type":"error","error":"no model"}`, `{"type":"cancelled","reason":"why"}`},
	}
	statuses := [3]hub.Status{hub.StatusDone, hub.StatusFailed, hub.StatusCancelled}
	for _, d := range founders(t) {
		for i, record := range wires[d.Name] {
			evs, err := d.NewDecoder(d.Defaults()).Decode(nil, framing.Record{Data: []byte(record)})
			if err != nil || len(evs) == 0 || evs[len(evs)-1].Kind != hub.RunEnd || evs[len(evs)-1].Status != statuses[i] {
				t.Errorf("%s: %s is read as %s, %v; want the end %s", d.Name, record, adaptertest.Lines(evs), err, statuses[i])
			}
		}
	}
	// The rows are done, failed, cancelled, truncated; the columns the five.
	for i, want := range [4]string{"done done done done done", "failed done failed failed failed", "cancelled done cancelled cancelled cancelled", "failed done failed failed failed"} {
		status := append(statuses[:], hub.StatusTruncated)[i]
		for j, target := range founders(t) {
			s := &adaptertest.Stream{Loose: []hub.Event{{Kind: hub.TextDelta, Text: []byte("Hi")}, {Kind: hub.RunEnd, Status: status}}}
			x := s.Translate(target, target.Defaults())
			if got := x.Read.Status.String(); got != strings.Fields(want)[j] {
				t.Errorf("%s to %s is read as %s, want %s", status, target.Name, got, strings.Fields(want)[j])
			}
			failed := status == hub.StatusFailed || status == hub.StatusTruncated
			if target.Name == "pydantic" && failed != strings.Contains(text(x), "*The agent") {
				t.Errorf("%s to pydantic, which has no place for an end: the text says %s", status, text(x))
			}
		}
	}
}

// TestFramingsAcross is SX-10: how records follow each other is found out from the bytes, whatever the dialect; the same
// records come out of every framing, and mean the same.
func TestFramingsAcross(t *testing.T) {
	framings := []framing.Framing{framing.SSE, framing.NDJSON, framing.Concat, framing.ContentLength, framing.LengthPrefix}
	fixtures := []string{"worked_example", "parallel", "interleaved", "tool-samples", "v1_worked_example"}
	for i, d := range founders(t) {
		at := slices.IndexFunc(fixturesOf(t, d), func(s *adaptertest.Stream) bool { return s.Name == d.Name+"/"+fixtures[i] })
		if at < 0 {
			t.Fatalf("%s has no fixture %s", d.Name, fixtures[i])
		}
		records := fixturesOf(t, d)[at].Records
		for _, f := range framings {
			out := framing.NewOut(f)
			for _, rec := range records {
				out.Record(rec)
			}
			if got := split(t, f, out.Buf); !slices.EqualFunc(got, records, func(a, b framing.Record) bool { return bytes.Equal(a.Data, b.Data) }) {
				t.Errorf("%s as %s: %d records, want %d", d.Name, f, len(got), len(records))
			}
		}
	}
}

// split cuts a stream of unknown framing. Lengths before a record look like nothing else only where they are
// expected.
func split(t *testing.T, f framing.Framing, data []byte) (all []framing.Record) {
	t.Helper()
	auto := framing.Auto
	if f == framing.LengthPrefix {
		auto = f
	}
	split := framing.NewSplitter(auto, 0)
	for len(data) > 0 {
		rec, n, err := split.Split(data, true)
		if err != nil || n == 0 {
			t.Fatalf("%s: %d bytes, %v", f, n, err)
		}
		if rec.Data != nil {
			all = append(all, framing.Record{Data: bytes.Clone(rec.Data)})
		}
		data = data[n:]
	}
	return all
}

// TestKeepAlivesAcross is SX-12: each dialect's own sign of life is written as it wants it, and read as nothing.
func TestKeepAlivesAcross(t *testing.T) {
	forms := map[string]string{"simplified": `{"type":"ping","timestamp":0}` + "\n", "pydantic": " ", "copilot": "\n\n", "evolve": "\n", "agentevent": "\n\n"}
	for _, d := range founders(t) {
		out := framing.NewOut(d.Framing)
		if d.KeepAlive != nil {
			d.KeepAlive(out, d.Defaults())
		} else {
			out.KeepAlive(0)
		}
		if got := string(out.Buf); got != forms[d.Name] {
			t.Errorf("%s: got %q, want %q", d.Name, got, forms[d.Name])
		}
		dec := d.NewDecoder(d.Defaults())
		for _, rec := range split(t, d.Framing, slices.Concat(out.Buf, out.Buf)) {
			if evs, err := dec.Decode(nil, rec); err != nil || len(evs) > 0 {
				t.Errorf("%s: its keep-alive is read as %s, %v", d.Name, adaptertest.Lines(evs), err)
			}
		}
	}
}

// TestRunAndCommand is S3-37: one stream may hold the output of run and of executeCommand; the command ends without ending
// the run around it, and what both say is one text in its order.
func TestRunAndCommand(t *testing.T) {
	evolve := founders(t)[3]
	state := func(reason string) string {
		return `{"sandboxId":"s","sandbox":"running","agent":"running","timestamp":"2026-02-17T10:00:00.000Z","reason":"` + reason + `"}`
	}
	says := func(text string) string {
		return `{"sessionId":"a","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"` + text + `"}}}`
	}
	in := []string{state("run_start"), says("Run."), state("command_start"), says("go.mod"), state("command_complete"), says(" Done."), state("run_complete")}
	var loose []hub.Event
	dec := evolve.NewDecoder(evolve.Defaults())
	for _, record := range in {
		evs, err := dec.Decode(nil, framing.Record{Data: []byte(record)})
		if err != nil {
			t.Fatal(err)
		}
		for i := range evs {
			own, _ := adaptertest.CopyEvent(&evs[i])
			loose = append(loose, own)
		}
	}
	x := (&adaptertest.Stream{Loose: loose, EndGrace: evolve.EndGrace}).Translate(evolve, evolve.Defaults())
	if got := x.Meaning.Text("", hub.AnswerText); got != "Run.go.mod Done." || x.Meaning.Status != hub.StatusDone || len(x.Problems) > 0 {
		t.Errorf("the text is %q, the end %s, %q", got, x.Meaning.Status, x.Problems)
	}
	if got := text(x); got != strings.Join(in, "\n")+"\n" {
		t.Errorf("written again it is\n%s", got)
	}
}

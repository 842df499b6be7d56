package simplified_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/simplified"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

func TestDialect(t *testing.T)  { adaptertest.Run(t, &simplified.Dialect) }
func TestAllocs(t *testing.T)   { adaptertest.Allocs(t, &simplified.Dialect) }
func TestRequests(t *testing.T) { adaptertest.Requests(t, &simplified.Dialect) }
func FuzzDecode(f *testing.F)   { adaptertest.Fuzz(f, &simplified.Dialect) }

// options parses k=v pairs.
func options(t testing.TB, pairs ...string) hub.Options {
	t.Helper()
	return adaptertest.Options(t, &simplified.Dialect, pairs...)
}

// decode returns the decoded events of records.
func decode(t testing.TB, dec hub.Decoder, records ...string) (all []hub.Event) {
	t.Helper()
	for _, data := range records {
		evs, err := dec.Decode(nil, wire.Record{Data: []byte(data)})
		if err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		for i := range evs {
			own, _ := adaptertest.CopyEvent(&evs[i])
			all = append(all, own)
		}
	}
	return all
}

// encode returns what an encoder writes for decoded events, framed as lines.
func encode(t testing.TB, o hub.Options, events ...hub.Event) string {
	t.Helper()
	seq, enc, out := sequencer.New(sequencer.Config{}), simplified.Dialect.NewEncoder(o), wire.NewOut(wire.NDJSON)
	var normalized []hub.Event
	write := func() {
		for i := range normalized {
			enc.Encode(out, &normalized[i])
		}
	}
	for i := range events {
		normalized = seq.Push(normalized[:0], events[i:i+1], 0)
		write()
	}
	normalized = seq.Flush(normalized[:0], nil)
	write()
	return string(out.Buf)
}

// section returns a section of a fixture.
func section(t testing.TB, fixture, name string) string {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/" + fixture + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func lines(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }

func TestObserve(t *testing.T) {
	f := func(data string, want hub.Observation) {
		t.Helper()
		if got := simplified.Dialect.Observe(wire.Record{Data: []byte(data)}); got != want {
			t.Errorf("%s: got %d, want %d", data, got, want)
		}
	}
	f(`{"type":"messageEnd","messageId":"m"}`, hub.ObservedEnd)
	f(`{"type":"error","data":"x"}`, hub.ObservedEnd)
	f(`{"type":"gone"}`, hub.ObservedEnd)
	f(`{ "data":"x", "type" : "error" }`, hub.ObservedEnd)
	f(`{"type":"response","data":"\"type\":\"error\""}`, hub.ObservedNothing)
	f(`{"type":"subagent_data","data":{"type":"error"}}`, hub.ObservedNothing)
	f(`{"type":"subagent_error","error":"x"}`, hub.ObservedNothing)
	f(`{"type":"err`, hub.ObservedNothing)
	f(``, hub.ObservedNothing)
}

// TestKeepAlive is SX-12 and part of S0-42: a ping is written, and read as nothing.
func TestKeepAlive(t *testing.T) {
	out := wire.NewOut(wire.NDJSON)
	simplified.Dialect.KeepAlive(out, simplified.Dialect.Defaults())
	if got, want := string(out.Buf), `{"type":"ping","timestamp":0}`+"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if evs := decode(t, simplified.Dialect.NewDecoder(options(t)), string(out.Buf), "", " \n"); len(evs) != 0 {
		t.Errorf("a ping decodes to %s", adaptertest.Lines(evs))
	}
}

func TestAppendFailure(t *testing.T) {
	got := string(simplified.Dialect.AppendFailure(nil, hub.Fail(hub.CodeBusy, nil)))
	if want := `{"message":"The agent server is busy. Try again later."}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestRequest(t *testing.T) {
	f := func(body, thread, run string) {
		t.Helper()
		var req hub.Request
		if err := simplified.Dialect.Requests.DecodeRequest(&req, []byte(body)); err != nil {
			t.Fatal(err)
		}
		if string(req.Thread) != thread || string(req.Run) != run {
			t.Errorf("%s: thread %q, run %q", body, req.Thread, req.Run)
		}
	}
	f(`{"message":{"messageId":"u1","chatId":"c1","content":"Hi"},"focusMode":"chat"}`, "c1", "u1")
	f(`{"message":{"messageId":"u1","content":"Hi"},"chatId":"c2"}`, "c2", "u1")
	f(`{"message":{"messageId":"u1","chatId":"c1","content":""},"messageImageIds":["i1"]}`, "c1", "u1")
	for _, body := range []string{`{"message":`, `{}`, `{"message":{"messageId":"u1","content":""},"messageImageIds":[]}`} {
		if err := simplified.Dialect.Requests.DecodeRequest(new(hub.Request), []byte(body)); err == nil {
			t.Errorf("%s is read", body)
		}
	}
}

// TestWholeLines is S0-41 and SX-11: the browser's parser dispatches frames twice if a line is cut, so what one event
// appends is whole lines, each one frame; and nothing is escaped that JSON does not demand.
func TestWholeLines(t *testing.T) {
	events, err := adaptertest.Events([]byte(section(t, "lanes_from_others", "events") + ``))
	if err != nil {
		t.Fatal(err)
	}
	seq, enc, out := sequencer.New(sequencer.Config{}), simplified.Dialect.NewEncoder(options(t)), wire.NewOut(wire.NDJSON)
	events[len(events)-2].Text = []byte(`a <b> & 'c'\n`)
	records := 0
	for i := range events {
		normalized := seq.Push(nil, events[i:i+1], 0)
		for j := range normalized {
			out.Reset()
			enc.Encode(out, &normalized[j])
			text := string(out.Buf)
			if strings.Count(text, "\n") != out.Records || text != "" && !strings.HasSuffix(text, "}\n") {
				t.Errorf("%s: not whole lines: %q", normalized[j].Kind, text)
			}
			if strings.Contains(text, `\u00`) {
				t.Errorf("escaped more than needed: %s", text)
			}
			records += out.Records
		}
	}
	if records < 10 {
		t.Errorf("only %d records", records)
	}
}

// TestErrorLimitByDefault is S0-33: if nothing else is configured, the error of a tool is cut to 500 UTF-16 units.
func TestErrorLimitByDefault(t *testing.T) {
	for n, want := range map[int]int{499: 499, 500: 500, 501: 500, 2000: 500} {
		got := encode(t, options(t),
			hub.Event{Kind: hub.RunStart}, hub.Event{Kind: hub.ToolStart, ID: []byte("t"), Name: []byte("a")},
			hub.Event{Kind: hub.ToolEnd, ID: []byte("t"), Status: hub.StatusError, More: &hub.More{Err: []byte(strings.Repeat("x", n))}})
		if !strings.Contains(got, `"error":"`+strings.Repeat("x", want)+`"`) {
			t.Errorf("an error of %d units: want %d in %s", n, want, got)
		}
	}
}

// TestMessageIDs is S0-22: every frame but error names the one message, nested ones by their outermost.
func TestMessageIDs(t *testing.T) {
	named := regexp.MustCompile(`,"messageId":"m1"[},]`)
	for _, fixture := range []string{"lanes_from_others", "todo_flow", "ends_from_others", "end_failed"} {
		text := section(t, fixture, "again")
		if text == "" {
			text = section(t, fixture, "wire")
		}
		for _, line := range lines(strings.ReplaceAll(text, "9f2c41d07ab3e5", "m1")) {
			if n := len(named.FindAllString(line, -1)); n != 1 && !strings.HasPrefix(line, `{"type":"error"`) {
				t.Errorf("%s: %d names of the message in %s", fixture, n, line)
			}
		}
	}
}

// TestTodoWidget is S0-17 and S0-18: each frame alone tells how many entries are done, which is the current one, and all
// entries with their statuses.
func TestTodoWidget(t *testing.T) {
	var got []string
	for _, line := range lines(encode(t, options(t), decode(t, simplified.Dialect.NewDecoder(options(t)), lines(section(t, "todo_flow", "wire"))...)...)) {
		todos := rawjson.Get([]byte(line), "data", "todos")
		if todos == nil {
			continue
		}
		done, all, current := 0, 0, ""
		for it := rawjson.Elems(todos); ; all++ {
			todo, ok := it.Next()
			if !ok {
				break
			}
			content, _ := rawjson.Str(rawjson.Get(todo, "content"))
			switch status, _ := rawjson.Str(rawjson.Get(todo, "status")); string(status) {
			case "completed":
				done++
			case "in_progress":
				current = string(content)
			}
		}
		got = append(got, fmt.Sprintf("Tasks: %d/%d complete - %s", done, all, current))
	}
	want := []string{"Tasks: 0/3 complete - Search the web", `Tasks: 1/3 complete - Read \"a\" & b`, "Tasks: 3/3 complete - "}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestEndReachesClient is S0-19: whatever the reason, a run ends with a frame on which clients act.
func TestEndReachesClient(t *testing.T) {
	for st := hub.StatusDone; st <= hub.StatusTruncated; st++ {
		text := encode(t, options(t), hub.Event{Kind: hub.RunStart, ID: []byte("r")}, hub.Event{Kind: hub.RunEnd, Status: st})
		last := lines(text)[len(lines(text))-1]
		if !strings.HasPrefix(last, `{"type":"messageEnd"`) && !strings.HasPrefix(last, `{"type":"error"`) {
			t.Errorf("%s: the last frame is %s", st, last)
		}
	}
}

// TestArgumentsAsText reads arguments that came as a JSON string, as some servers send them: S0-30 and S0-14.
func TestArgumentsAsText(t *testing.T) {
	call := func(tool, args string) []hub.Event {
		return []hub.Event{
			{Kind: hub.ToolStart, ID: []byte("t1"), Name: []byte(tool)},
			{Kind: hub.ToolReady, ID: []byte("t1"), Value: rawjson.AppendString(nil, []byte(args))},
		}
	}
	f := func(tool, args, want string) {
		t.Helper()
		if got := encode(t, options(t), call(tool, args)...); !strings.Contains(got, want) {
			t.Errorf("%s: got\n%swant in it %s", args, got, want)
		}
	}
	f("web_search", `{"query":"in text"}`, ` query=\"in text\"></ToolCall>`)
	f("web_search", `no object`, ` toolCallId=\"t1\"></ToolCall>`)
	f("todo_list", `{"todos":[{"content":"a","status":"completed"}]}`, `{"todos":[{"content":"a","status":"completed"}]}`)
}

// TestPausedTool is a call that waits for a human when its run ends: version 1 has no such state.
func TestPausedTool(t *testing.T) {
	events := []hub.Event{
		{Kind: hub.ToolStart, ID: []byte("t1"), Name: []byte("rm")},
		{Kind: hub.ToolEnd, ID: []byte("t1"), Status: hub.StatusPaused},
	}
	if got := encode(t, options(t), events...); !strings.Contains(got, `"status":"error","error":"The tool waits`) {
		t.Errorf("version 1: got %s", got)
	}
	got := encode(t, options(t, "version=2"), events...)
	if !strings.Contains(got, `status=\"running\"`) || strings.Contains(got, `tool_call_error`) || strings.Contains(got, `tool_call_success`) {
		t.Errorf("version 2: got %s", got)
	}
}

// TestTranslateTwice shows that decoder and encoder begin anew after Reset.
func TestTranslateTwice(t *testing.T) {
	dec, enc := simplified.Dialect.NewDecoder(options(t)), simplified.Dialect.NewEncoder(options(t))
	pass := func(records ...string) string {
		out, seq := wire.NewOut(wire.NDJSON), sequencer.New(sequencer.Config{})
		normalized := seq.Push(nil, append(decode(t, dec, records...), dec.Finish(nil, nil)...), 0)
		for i := range normalized {
			enc.Encode(out, &normalized[i])
		}
		dec.Reset()
		enc.Reset()
		return string(out.Buf)
	}
	first := lines(section(t, "sub_agent", "wire"))
	want := pass(first...)
	pass(`{"type":"response","data":"<think>a<","messageId":"other"}`)
	if got := pass(first...); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestMetaOfOthers leaves alone what other dialects keep in Meta.
func TestMetaOfOthers(t *testing.T) {
	more := &hub.More{Meta: []byte(`{"extra":{"a":"b"},"document":{},"simplified":7}`), Usage: hub.NoCounts}
	got := encode(t, options(t),
		hub.Event{Kind: hub.ToolStart, ID: []byte("t1"), Name: []byte("x")},
		hub.Event{Kind: hub.ToolEnd, ID: []byte("t1"), Status: hub.StatusOK, More: more},
		hub.Event{Kind: hub.Source, ID: []byte("1"), Title: []byte("T"), More: more},
		hub.Event{Kind: hub.Notice, Text: []byte("n"), More: more},
		hub.Event{Kind: hub.Usage, Scope: hub.RunScope, More: more},
		hub.Event{Kind: hub.RunEnd, Status: hub.StatusDone, More: more})
	for _, want := range []string{`"status":"success"}`, `"metadata":{"title":"T"}`, `"message":"n"`, `"modelName":""`} {
		if !strings.Contains(got, want) {
			t.Errorf("want %s in\n%s", want, got)
		}
	}
	var json rawjson.Decoder
	for _, line := range lines(got) {
		if err := json.Valid([]byte(line)); err != nil {
			t.Errorf("%v: %s", err, line)
		}
	}
}

func TestFixturesNameTheirOrigin(t *testing.T) {
	all, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range all {
		if !strings.HasSuffix(entry.Name(), ".txtar") {
			continue
		}
		archive, err := txtar.ParseFile("testdata/" + entry.Name())
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(archive.Comment), "Origin: ") {
			t.Errorf("%s does not say where it comes from", entry.Name())
		}
	}
}

// text joins the deltas of a channel.
func text(evs []hub.Event, ch hub.Chan) string {
	var all []byte
	for i := range evs {
		if evs[i].Kind == hub.TextDelta && evs[i].Chan == ch {
			all = rawjson.AppendUnescaped(all, evs[i].Text)
		}
	}
	return string(all)
}

func show(evs []hub.Event) string {
	var all []byte
	for i := range evs {
		all = append(native.Append(all, &evs[i]), '\n')
	}
	return string(all)
}

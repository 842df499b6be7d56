package conversation_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// events reads events in native notation.
func events(t *testing.T, lines ...string) []hub.Event {
	t.Helper()
	evs, err := adaptertest.Events([]byte(strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return evs
}

// show lists messages: role, id, and the parts in brackets.
func show(ms []hub.Message) string {
	var b strings.Builder
	for i := range ms {
		fmt.Fprintf(&b, "%s %s [", ms[i].Role, ms[i].ID)
		for j := range ms[i].Parts {
			if j > 0 {
				b.WriteString("; ")
			}
			b.WriteString(showPart(&ms[i].Parts[j]))
		}
		b.WriteString("]\n")
	}
	return b.String()
}

func showPart(p *hub.Part) string {
	words := []string{p.Kind.String()}
	add := func(word string, v []byte) {
		if len(v) > 0 {
			words = append(words, word+string(v))
		}
	}
	add("", p.Name)
	add("", p.Value)
	add("", p.Text)
	add("titled ", p.Title)
	add("signed ", p.Sig)
	if p.File != nil {
		add("", p.File.URL)
	}
	if p.ClientRuns {
		words = append(words, "client")
	}
	if a := p.Approval; a != nil {
		words = append(words, fmt.Sprintf("asked %s decided %t approved %t %s", a.ID, a.Decided, a.Approved, a.Reason))
	}
	if r := p.Result; r != nil {
		words = append(words, fmt.Sprintf("= %s %s%s%s%s", r.Status, r.Text, r.Value, r.Content, r.Err))
	}
	return strings.Join(words, " ")
}

func text(id, msg, text, more string) string {
	head := `{"kind":"text.%s","id":"` + id + `","msg":"` + msg + `"` + more
	return fmt.Sprintf(head+"}", "start") + "\n" + fmt.Sprintf(head+`,"text":"`+text+`"}`, "delta") + "\n" + fmt.Sprintf(head+"}", "end")
}

func call(id, more string) string {
	return `{"kind":"tool.start","id":"` + id + `","name":"f"` + more + "}\n" + `{"kind":"tool.ready","id":"` + id + `","name":"f","value":{}` + more + "}"
}

func end(id, more string) string {
	return `{"kind":"tool.end","id":"` + id + `","name":"f"` + more + "}"
}

// TestFold is each rule of Folder.
func TestFold(t *testing.T) {
	f := func(name, want string, lines ...string) {
		t.Helper()
		if got := show(conversation.Fold(nil, events(t, lines...))); got != want {
			t.Errorf("%s: got\n%swant\n%s", name, got, want)
		}
	}
	const user, inner = `,"flags":["user"]`, `,"lane":"s"`
	const step = `{"kind":"step.start","id":"s1"}`
	ok := `,"status":"ok","text":"r"`
	f("a message for each id", "agent m1 [text a; text b]\nagent m2 [text c]\n", text("1", "m1", "a", ""), text("2", "", "b", ""), text("3", "m2", "c", ""))
	f("steps are messages with one id", "agent m1 [text a]\nagent m1 [text b]\n", text("1", "m1", "a", ""), step, text("2", "", "b", ""))
	f("a step in which nothing is said", "agent m1 [text a]\n", text("1", "m1", "a", ""), step)
	f("without ids they have that of the run", "agent r1 [text a]\nagent r1 [text b]\n", `{"kind":"run.start","id":"r1"}`, text("1", "", "a", ""), step, text("2", "", "b", ""))
	f("a step of a sub-agent is none", "agent m1 [text a; text b]\n", text("1", "m1", "a", ""), `{"kind":"step.start","id":"s1"`+inner+`}`, text("2", "m1", "b", ""))
	f("the user and the system", "user u [text hi]\nsystem s [text be kind]\nagent a [text a]\n",
		text("1", "u", "hi", user), text("2", "s", "be kind", `,"name":"system"`), text("3", "a", "a", ""))
	f("what follows a result is another message", "agent m1 [call f {} = ok r]\nagent m1 [text so]\n", call("c", `,"msg":"m1"`), end("c", ok), text("1", "m1", "so", ""))
	f("calls side by side", "agent  [call f {} = ok r; call f {} = ok r]\n", call("c", ""), call("d", ""), end("c", ok), end("d", ok))
	f("calls one after the other", "agent  [call f {} = ok r]\nagent  [call f {} = ok r]\n", call("c", ""), end("c", ok), call("d", ""), end("d", ok))
	f("channels", "agent m1 [reasoning a signed x; refusal b]\n", `{"kind":"text.start","id":"1","msg":"m1","chan":"reasoning"}`,
		`{"kind":"text.delta","id":"1","chan":"reasoning","text":"a"}`, `{"kind":"text.end","id":"1","sig":"x"}`, text("2", "m1", "b", `,"chan":"refusal"`))
	f("a text is replaced", "agent m1 [text new!]\n", `{"kind":"text.start","id":"1","msg":"m1"}`, `{"kind":"text.delta","id":"1","text":"old and long"}`,
		`{"kind":"text.delta","id":"1","op":"replace","text":"new"}`, `{"kind":"text.delta","id":"1","text":"!"}`)
	f("texts that are open at once", "agent  [reasoning ac; text b]\n", `{"kind":"text.start","id":"1","chan":"reasoning"}`, `{"kind":"text.delta","id":"1","text":"a"}`,
		`{"kind":"text.start","id":"2"}`, `{"kind":"text.delta","id":"2","text":"b"}`, `{"kind":"text.delta","id":"1","text":"c"}`)
	f("calls of the client's are open", "agent  [call f {} client]\n", call("c", `,"flags":["client_runs"]`), end("c", `,"status":"client"`))
	f("calls that wait are open", "agent  [call f {}]\n", call("c", ""), end("c", `,"status":"paused"`))
	f("calls that were broken off are open", "agent  [call f {}; call f {} = error half]\n", call("c", ""), call("d", ""),
		end("c", `,"status":"aborted"`), end("d", `,"status":"aborted","text":"half"`))
	f("what was broken off is not the client's", "agent  [call f {}]\n", call("c", `,"flags":["client_runs"]`), end("c", `,"status":"aborted"`))
	f("statuses", "agent  [call f {} = error no; call f {} = denied no; call f {} = ok 1; call f {} = error why]\n", call("c", ""), call("d", ""), call("e", ""), call("g", ""),
		end("c", `,"status":"error","err":"no"`), end("d", `,"status":"denied","err":"no"`), end("e", `,"status":"unknown","value":1`), end("g", `,"status":"unknown","err":"why"`))
	f("arguments that are no JSON, and a signature", "agent  [call f {\\\"a signed x]\n", `{"kind":"tool.start","id":"c","name":"f"}`, `{"kind":"tool.update","id":"c","sig":"x"}`,
		`{"kind":"tool.args","id":"c","text":"{\"a"}`, `{"kind":"tool.ready","id":"c","text":"{\"a","flags":["invalid"]}`)
	f("sources, files and data", "agent m1 [text a; source q titled T https://x; file https://y; data d 1; data e 3]\n", text("1", "m1", "a", ""),
		`{"kind":"source","id":"s","title":"T","text":"q","file":{"url":"https://x"}}`, `{"kind":"file","file":{"url":"https://y"}}`, `{"kind":"data","op":"emit","name":"d","value":1}`,
		`{"kind":"data","op":"emit","id":"i","name":"e","value":2}`, `{"kind":"data","op":"emit","id":"i","name":"e","value":3}`)
	f("what is no message", "", `{"kind":"data","op":"emit","name":"d","value":1,"flags":["transient"]}`, `{"kind":"data","op":"set","name":"state","value":{}}`,
		`{"kind":"notice","text":"x"}`, `{"kind":"raw","name":"agui","value":{}}`, `{"kind":"plan","items":[{"content":"x"}]}`)
	f("sub-agents", "agent m1 [text a]\n", text("1", "m2", "in", inner), call("c", inner), end("c", inner+ok), text("2", "m1", "a", ""))
	f("text of sub-agents where there is no other", "agent m1 [call f {} = ok r]\nagent m2 [text in]\n", call("c", `,"msg":"m1"`), text("1", "m2", "in", inner),
		text("2", "m2", "hm", inner+`,"chan":"reasoning"`), end("c", ok))
	f("files and sources of sub-agents", "agent m1 [text a]\nagent m2 [source q titled T https://x; file https://y]\n", text("1", "m1", "a", ""),
		`{"kind":"source","id":"s","msg":"m2","title":"T","text":"q","file":{"url":"https://x"}`+inner+`}`, `{"kind":"file","msg":"m2","file":{"url":"https://y"}`+inner+`}`,
		`{"kind":"file","msg":"m3","flags":["user"],"file":{"url":"https://z"}`+inner+`}`)
	f("what the client must run", "agent m1 [text a]\nagent m2 [call f {} client]\n", call("c", `,"msg":"m2","flags":["client_runs"]`+inner), text("1", "m1", "a", ""))
}

const options = `,"options":[{"id":"1","name":"Yes","kind":"allow_once"},{"id":"2","name":"No","kind":"reject_once"}]}`

// TestFolderReset: a folder that is used again tells of a run as a new one does.
func TestFolderReset(t *testing.T) {
	long := text("p1", "m1", strings.Repeat("x", 40_000), "")
	runs := [][]hub.Event{
		events(t, text("p1", "m1", "one", "")), events(t, call("c1", ""), text("p1", "m2", "two", ""), end("c1", `,"status":"ok","text":"r"`)),
		events(t, call("c1", `,"flags":["client_runs"]`), `{"kind":"ask","id":"q1","ref":"c1","what":"permission"}`), events(t, long), events(t, text("p2", "", "three", "")),
	}
	var used conversation.Folder
	for i := range 3 * len(runs) {
		evs := runs[i*7%len(runs)]
		fresh := conversation.NewFolder(nil)
		used.Reset()
		for j := range evs {
			fresh.Add(&evs[j])
			used.Add(&evs[j])
		}
		if got, want := used.Run(), fresh.Run(); !reflect.DeepEqual(got, want) || used.Size() != fresh.Size() {
			t.Errorf("run %d:\n%s, want\n%s", i, show(got.Messages), show(want.Messages))
		}
	}
}

// TestFoldApprovals: what was decided follows from the kind of the option, or from what became of the call.
func TestFoldApprovals(t *testing.T) {
	ask := `{"kind":"ask","id":"q","ref":"c","what":"permission"` + options
	f := func(want string, lines ...string) {
		t.Helper()
		all := append([]string{call("c", "")}, lines...)
		if got := show(conversation.Fold(nil, events(t, all...))); got != "agent  [call f {}"+want+"]\n" {
			t.Errorf("got %swant %s", got, want)
		}
	}
	f(" asked q decided false approved false ", ask)
	f(" asked q decided true approved true ", ask, `{"kind":"answer","id":"q","status":"chosen","name":"1"}`)
	f(" asked q decided true approved false why", ask, `{"kind":"answer","id":"q","status":"chosen","name":"2","text":"why"}`)
	f(" asked q decided true approved false ", ask, `{"kind":"answer","id":"q","status":"cancelled"}`)
	f(" asked q decided false approved false ", ask, `{"kind":"answer","id":"q","status":"unresolved"}`)
	f(" asked q decided true approved true  = ok r", ask, end("c", `,"status":"ok","text":"r"`))
	f(" asked q decided true approved false  = denied no", ask, end("c", `,"status":"denied","err":"no"`))
	f("", `{"kind":"ask","id":"q","ref":"c","what":"input"}`)
	f("", `{"kind":"ask","id":"q","what":"permission"}`)
}

// TestFoldBehind: results and answers go to calls that messages before the run hold, which are left as they are.
func TestFoldBehind(t *testing.T) {
	before := conversation.Fold(nil, events(t, text("1", "u", "hi", `,"flags":["user"]`), call("c", `,"msg":"m1","flags":["client_runs"]`),
		call("d", `,"msg":"m1"`), `{"kind":"ask","id":"q","ref":"d","what":"permission"`+options))
	was := show(before)
	resumed := func(id string) string {
		return `{"kind":"tool.start","id":"` + id + `","name":"f","flags":["resumed"]}`
	}
	got := show(conversation.Fold(before, events(t, text("1", "u", "hi", `,"flags":["user","replayed"]`),
		resumed("c"), `{"kind":"tool.ready","id":"c","value":{"other":1}}`, end("c", `,"status":"ok","text":"r"`),
		`{"kind":"answer","id":"q","status":"chosen","name":"1"}`, resumed("d"), end("d", `,"status":"ok","text":"s"`),
		resumed("lost"), end("lost", `,"status":"ok","text":"x"`), text("2", "m2", "done", ""))))
	want := "user u [text hi]\nagent m1 [call f {} client = ok r; call f {} asked q decided true approved true  = ok s]\n" +
		"results  [call f = ok x]\nagent m2 [text done]\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if now := show(before); now != was {
		t.Errorf("the messages before are\n%swere\n%s", now, was)
	}
	if got := show(conversation.Fold(before, events(t, call("c", ""), end("c", `,"status":"ok","text":"r"`)))); !strings.HasSuffix(got, "]\nagent  [call f {} = ok r]\n") {
		t.Errorf("a new call with an id of before: got\n%s", got)
	}
}

// TestFoldRun: what a whole answer needs beside the messages.
func TestFoldRun(t *testing.T) {
	before := []hub.Message{{Role: hub.RoleUser, Parts: []hub.Part{{Kind: hub.PartText, Text: []byte("hi")}}}}
	f := conversation.NewFolder(before)
	if f.Size() != 0 {
		t.Errorf("an empty folder has %d bytes", f.Size())
	}
	for _, ev := range events(t, `{"kind":"run.start","id":"r","ref":"t","time":5}`, text("1", "m", "hello", ""),
		`{"kind":"usage","scope":"run","model":"m-1","usage":{"in":3,"out":4}}`, `{"kind":"run.end","status":"failed","name":"native","err":"why","err_code":"code"}`) {
		if f.Run().Ended {
			t.Error("it has ended too early")
		}
		f.Add(&ev)
	}
	run := f.Run()
	got := fmt.Sprintf("%s %s %s %d %t %s %s %s %s %d %d %s", run.ID, run.Thread, run.Model, run.Time, run.Ended, run.Status, run.Reason, run.Err, run.ErrCode,
		run.Usage.In, run.Usage.Out, show(run.Messages))
	if want := "r t m-1 5 true failed native why code 3 4 agent m [text hello]\n"; got != want {
		t.Errorf("got %swant %s", got, want)
	}
	if size := f.Size(); size < 256 || size > 512 || len(f.Messages()) != 2 {
		t.Errorf("size %d, messages %s", size, show(f.Messages()))
	}
}

package policy_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/evolve"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/policy"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// poor is a dialect that carries a run, answers and calls of the client; nothing else.
func poor(policies map[hub.Class]hub.Policy) *hub.Dialect {
	d := native.Dialect
	d.Name, d.Policies = "poor", policies
	d.NewEncoder = func(o hub.Options) hub.Encoder { return &poorEncoder{Encoder: native.Dialect.NewEncoder(o)} }
	return &d
}

type poorEncoder struct {
	hub.Encoder
	refused []string // ids of calls
}

func (e *poorEncoder) Encode(out *wire.Out, ev *hub.Event) hub.Disposition {
	class := hub.ClassOf(ev)
	if ev.Kind == hub.ToolStart && class == hub.ClassTools {
		e.refused = append(e.refused, string(ev.ID))
	}
	if class == hub.ClassTools && !slices.Contains(e.refused, string(ev.ID)) {
		class = hub.ClassNone
	}
	if class != hub.ClassNone {
		return hub.Dropped
	}
	return e.Encoder.Encode(out, ev)
}

func (e *poorEncoder) Extend(out *wire.Out, payload []byte) {
	out.Begin("")
	out.Buf = append(out.Buf, payload...)
	out.End()
}

const story = `{"kind":"run.start","id":"r"}
{"kind":"text.start","id":"h","chan":"reasoning"}
{"kind":"text.delta","id":"h","chan":"reasoning","text":"hm\n"}
{"kind":"text.end","id":"h","chan":"reasoning"}
{"kind":"text.start","id":"p"}
{"kind":"text.delta","id":"p","text":"Hello"}
{"kind":"plan","items":[{"content":"look","status":"completed"},{"content":"tell","status":"in_progress"},{"content":"go","status":"pending"}]}
{"kind":"text.end","id":"p"}
{"kind":"tool.start","id":"t","name":"search"}
{"kind":"tool.args","id":"t","text":"{\"q\":\"x\"}"}
{"kind":"tool.ready","id":"t","name":"search","value":{"q":"x"}}
{"kind":"tool.output","id":"t","text":"some","chan":"result"}
{"kind":"tool.end","id":"t","name":"search","status":"ok","text":"found \"it\""}
{"kind":"tool.start","id":"c","name":"ask_user","flags":["client_runs"]}
{"kind":"tool.args","id":"c","text":"{}"}
{"kind":"tool.ready","id":"c","name":"ask_user","value":{}}
{"kind":"tool.end","id":"c","name":"ask_user","status":"client"}
{"kind":"notice","level":"warning","text":"slow"}
{"kind":"source","id":"s","title":"Page","file":{"url":"http://x/"}}
{"kind":"file","id":"f","file":{"media":"image/png","url":"http://x/i.png","name":"i"}}
{"kind":"usage","scope":"run","usage":{"in":1}}
{"kind":"run.end","status":"done"}
`

// tell writes the story with these policies, and says what became of each event that is not native, and what was written.
func tell(t *testing.T, d *hub.Dialect, s policy.Settings) (dispositions, written string) {
	t.Helper()
	events, err := adaptertest.Events([]byte(story))
	if err != nil {
		t.Fatal(err)
	}
	enc, out := policy.NewEncoder(d, hub.Options{}, s), wire.NewOut(wire.NDJSON)
	var words []string
	for i := range events {
		if disposition := enc.Encode(out, &events[i]); disposition != hub.Native {
			words = append(words, events[i].Kind.String()+" "+disposition.String())
		}
	}
	enc.Finish(out)
	return strings.Join(words, ", "), string(out.Buf)
}

// TestFold makes texts of what the dialect cannot carry; what comes while a part is open waits for its end.
func TestFold(t *testing.T) {
	all := map[hub.Class]hub.Policy{}
	for _, c := range hub.Classes() {
		all[c] = hub.PolicyFold
	}
	dispositions, written := tell(t, poor(all), policy.Settings{})
	want := "text.start folded, text.delta folded, text.end folded, plan folded, tool.start folded, tool.args folded, tool.ready folded, " +
		"tool.output dropped, tool.end folded, notice folded, source folded, file folded, usage dropped"
	if dispositions != want {
		t.Errorf("fates:\n got %s\nwant %s", dispositions, want)
	}
	check := adaptertest.Checker{Unnumbered: true}
	text := ""
	events, err := adaptertest.Events([]byte(written))
	if err != nil {
		t.Fatal(err)
	}
	for i := range events {
		if err := check.Event(&events[i]); err != nil {
			t.Error(err)
		}
		if events[i].Kind == hub.TextDelta {
			text += adaptertest.Plain(events[i].Text)
		}
	}
	wantText := "<think>\nhm\n\n</think>\n\nHello\n\n- [x] look\n- [~] tell\n- [ ] go\n\n" +
		"[search {\"q\":\"x\"} → found \"it\"]\n\n[warning: slow]\n\n[Page](http://x/)\n\n![i](http://x/i.png)\n\n"
	if text != wantText {
		t.Errorf("text:\n got %q\nwant %q", text, wantText)
	}
}

// TestPolicies says what becomes of the same events otherwise.
func TestPolicies(t *testing.T) {
	f := func(name string, d *hub.Dialect, s policy.Settings, wantDispositions string, wantIn, wantOut []string) {
		t.Helper()
		dispositions, written := tell(t, d, s)
		if dispositions != wantDispositions {
			t.Errorf("%s:\n got %s\nwant %s", name, dispositions, wantDispositions)
		}
		for _, s := range wantIn {
			if !strings.Contains(written, s) {
				t.Errorf("%s: want %s in\n%s", name, s, written)
			}
		}
		for _, s := range wantOut {
			if strings.Contains(written, s) {
				t.Errorf("%s: do not want %s in\n%s", name, s, written)
			}
		}
	}
	dropped := "text.start dropped, text.delta dropped, text.end dropped, plan dropped, tool.start dropped, tool.args dropped, " +
		"tool.ready dropped, tool.output dropped, tool.end dropped, notice dropped, source dropped, file dropped, usage dropped"
	f("nothing said", poor(nil), policy.Settings{}, dropped, []string{"ask_user"}, []string{"search", "look"})
	f("native cannot do what the dialect cannot", poor(map[hub.Class]hub.Policy{hub.ClassPlan: hub.PolicyFold}),
		policy.Settings{Classes: map[hub.Class]hub.Policy{hub.ClassPlan: hub.PolicyNative}}, dropped, nil, []string{"look"})
	f("one class to the extension place", poor(nil),
		policy.Settings{Classes: map[hub.Class]hub.Policy{hub.ClassPlan: hub.PolicyExtension}},
		strings.Replace(dropped, "plan dropped", "plan extension", 1), []string{`{"x-agent-stream":{"kind":"plan"`}, []string{"search"})
	f("drop what the dialect could carry", &native.Dialect,
		policy.Settings{Classes: map[hub.Class]hub.Policy{hub.ClassPlan: hub.PolicyDrop, hub.ClassTools: hub.PolicyDrop, hub.ClassReasoning: hub.PolicyDrop}},
		"text.start dropped, text.delta dropped, text.end dropped, plan dropped, tool.start dropped, tool.args dropped, tool.ready dropped, "+
			"tool.output dropped, tool.end dropped", []string{"ask_user", "slow"}, []string{"search", "look", "hm"})
	f("no place for extensions", &native.Dialect,
		policy.Settings{Classes: map[hub.Class]hub.Policy{hub.ClassPlan: hub.PolicyExtension}}, "plan dropped", nil, []string{"look"})
}

// TestBareEncoder costs nothing where nothing is asked.
func TestBareEncoder(t *testing.T) {
	if _, ok := policy.NewEncoder(poor(nil), hub.Options{}, policy.Settings{}).(*poorEncoder); !ok {
		t.Error("the encoder is wrapped for nothing")
	}
}

// TestDetour sends every stream of evolve through every dialect with an extension place, and gets it back as it was.
func TestDetour(t *testing.T) {
	tried := 0
	for _, d := range adapters.All() {
		if d.Extension == nil || d.NewEncoder == nil || d.NewDecoder == nil {
			continue
		}
		for _, s := range adaptertest.Streams(t, &evolve.Dialect, "../evolve/testdata") {
			tried++
			detour(t, d, s)
		}
	}
	if tried == 0 {
		t.Error("no dialect has an extension place")
	}
}

func detour(t *testing.T, d *hub.Dialect, s *adaptertest.Stream) {
	t.Helper()
	settings := policy.Settings{Extension: true, SubAgents: hub.SubAgentsNest}
	sent := shaped(s, policy.Stages(d, settings, nil))
	enc, out := policy.NewEncoder(d, d.Defaults(), settings), wire.NewOut(d.Framing)
	for i := range sent {
		enc.Encode(out, &sent[i])
	}
	enc.Finish(out)

	back := &adaptertest.Stream{Name: s.Name}
	dec, split := policy.NewDecoder(d, d.Defaults()), wire.NewSplitter(d.Framing, 0)
	for buf := out.Buf; len(buf) > 0; {
		rec, n, err := split.Split(buf, true)
		if err != nil || n == 0 {
			t.Fatalf("%s by way of %s: %v", s.Name, d.Name, err)
		}
		if rec.Data != nil {
			evs, err := dec.Decode(nil, rec)
			if err != nil {
				t.Errorf("%s by way of %s: %v", s.Name, d.Name, err)
			}
			for i := range evs {
				own, _ := adaptertest.CopyEvent(&evs[i])
				back.Loose = append(back.Loose, own)
			}
		}
		buf = buf[n:]
	}
	back.Loose = append(back.Loose, dec.Finish(nil, nil)...)
	got, want := written(shaped(back, nil)), written(sent)
	if !bytes.Equal(got, want) {
		t.Errorf("%s by way of %s comes back as\n%swant\n%s", s.Name, d.Name, got, want)
	}
}

// written is what evolve makes of a stream.
func written(events []hub.Event) []byte {
	enc, out := evolve.Dialect.NewEncoder(evolve.Dialect.Defaults()), wire.NewOut(evolve.Dialect.Framing)
	for i := range events {
		enc.Encode(out, &events[i])
	}
	enc.Finish(out)
	return append([]byte(adaptertest.Lines(events)), out.Buf...)
}

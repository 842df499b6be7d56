package copilot_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// The seed's tables name 23 types. S2-2, S2-4, S2-5: clients go by the type alone, so each comes out under its own name,
// those that the user interface leaves out as well. S2-3: each is decoded and encoded.
func TestTypesOfTheSeed(t *testing.T) {
	start := `{"type":"tool.execution_start","data":{"toolCallId":"t","toolName":"bash","arguments":{"command":"ls"}}}`
	for typ, rec := range map[string][]string{
		"user.message":                  {`{"type":"user.message","data":{"content":"Hi"}}`},
		"assistant.message":             {`{"type":"assistant.message","data":{"messageId":"m","content":"Hi"}}`},
		"assistant.message_delta":       {`{"type":"assistant.message_delta","data":{"messageId":"m","deltaContent":"Hi"}}`},
		"assistant.turn_start":          {`{"type":"assistant.turn_start","data":{}}`},
		"assistant.turn_end":            {`{"type":"assistant.turn_start","data":{}}`, `{"type":"assistant.turn_end","data":{}}`},
		"assistant.intent":              {`{"type":"assistant.intent","data":{"intent":"x"}}`},
		"assistant.reasoning":           {`{"type":"assistant.reasoning","data":{"content":"x"}}`},
		"assistant.reasoning_delta":     {`{"type":"assistant.reasoning_delta","data":{"deltaContent":"x"}}`},
		"tool.execution_start":          {start},
		"tool.execution_progress":       {start, `{"type":"tool.execution_progress","data":{"toolCallId":"t","status":"x"}}`},
		"tool.execution_partial_result": {start, `{"type":"tool.execution_partial_result","data":{"toolCallId":"t","content":"x"}}`},
		"tool.execution_complete":       {start, `{"type":"tool.execution_complete","data":{"toolCallId":"t","success":true}}`},
		"session.start":                 {`{"type":"session.start","data":{"sessionId":"s","context":{"cwd":"/"}}}`},
		"session.idle":                  {`{"type":"session.idle","data":{}}`},
		"session.error":                 {`{"type":"session.error","data":{"message":"x"}}`},
		"session.truncation":            {`{"type":"session.truncation","data":{}}`},
		"session.compaction_start":      {`{"type":"session.compaction_start","data":{}}`},
		"session.compaction_complete":   {`{"type":"session.compaction_complete","data":{}}`},
		"session.usage_info":            {`{"type":"session.usage_info","data":{"currentTokens":1}}`},
		"assistant.usage":               {`{"type":"assistant.usage","data":{"model":"m"}}`},
		"caco.agent":                    {`{"type":"caco.agent","data":{"content":"x"}}`},
		"caco.applet":                   {`{"type":"caco.applet","data":{"content":"x"}}`},
		"caco.embed":                    {`{"type":"caco.embed","data":{"outputId":"o"}}`},
	} {
		got := again(t, "", rec...)
		if !slices.Contains(types(got), typ) {
			t.Errorf("%s is not among %q", typ, got)
		}
	}
}

// The order of types is all that a client needs to fold and unfold what it shows (S2-56); deltas and full texts are
// different types (S2-48). The call of report_intent is the one that comes out as what it reports (S2-55).
func TestOrderOfTypes(t *testing.T) {
	var want []string
	for _, rec := range wireOf(t, "seed_live") {
		typ := member(rec, "type")
		switch {
		case member(rec, "data", "toolName") == "report_intent":
			typ = "assistant.intent"
		case member(rec, "data", "result", "content") == "Intent logged":
			continue
		}
		want = append(want, typ)
	}
	if got := types(again(t, "", wireOf(t, "seed_live")...)); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// S2-33: the deltas of a message and then its full text have one id. S2-34: bytes are counted as the seed counts them:
// 4, 17, 26 … 141, the last delta being one character of three bytes (S2-62).
func TestBytesOfTheSeed(t *testing.T) {
	live := wireOf(t, "seed_live")
	deltas := func(records []string) (all []string) {
		for _, rec := range records {
			if member(rec, "type") == "assistant.message_delta" {
				all = append(all, member(rec, "data", "deltaContent")+" "+member(rec, "data", "totalResponseSizeBytes"))
			}
		}
		return all
	}
	out := again(t, "", live...)
	got, want := deltas(out), deltas(live)
	if !slices.Equal(got, want) || len(got) != 23 || got[22] != "✅ 141" {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	joined, size := "", 0
	for _, rec := range out {
		switch member(rec, "type") {
		case "assistant.message_delta":
			joined += member(rec, "data", "deltaContent")
			size, _ = strconv.Atoi(member(rec, "data", "totalResponseSizeBytes"))
			if size != len(joined) {
				t.Errorf("%s: %d bytes so far", rec, len(joined))
			}
		case "assistant.message":
			if member(rec, "data", "content") != joined || member(rec, "data", "messageId") != "e8c809ae-e163-457c-b787-67270216593d" {
				t.Errorf("after the deltas %q comes %s", joined, rec)
			}
		}
	}
	if size != 141 {
		t.Errorf("%d bytes in the end", size)
	}
}

// S2-60: the history stream of the seed is a message of the user, three calls, three ends, one answer. S2-61: the live
// stream is 27 deltas of reasoning and 23 of the message, which are their full texts.
func TestCountsOfTheSeed(t *testing.T) {
	history, live := wireOf(t, "seed_history"), wireOf(t, "seed_live")
	f := func(options string, records []string, want map[string]int) {
		t.Helper()
		decoded := decode(t, options, records...)
		got := map[string]int{
			"calls": count(decoded, isKind(hub.ToolStart)), "ends": count(decoded, isKind(hub.ToolEnd)),
			"users": count(decoded, func(ev *hub.Event) bool { return ev.Kind == hub.TextStart && ev.Flags.Has(hub.User) }),
			"thoughts": count(decoded, func(ev *hub.Event) bool {
				return ev.Kind == hub.TextDelta && ev.Chan == hub.Reasoning && ev.Op == hub.Append
			}),
			"deltas": count(decoded, func(ev *hub.Event) bool {
				return ev.Kind == hub.TextDelta && ev.Chan == hub.AnswerText && ev.Op == hub.Append
			}),
			"answers": count(decoded, func(ev *hub.Event) bool {
				return ev.Kind == hub.TextEnd && ev.Chan == hub.AnswerText && !ev.Flags.Has(hub.User)
			}),
			"intents": count(decoded, func(ev *hub.Event) bool { return ev.Level == hub.LevelIntent }),
		}
		for what, n := range want {
			if got[what] != n {
				t.Errorf("%d %s, want %d", got[what], what, n)
			}
		}
	}
	f("history=true intent_tools=", history, map[string]int{"users": 1, "calls": 3, "ends": 3, "answers": 1, "deltas": 0})
	f("history=true", history, map[string]int{"users": 1, "calls": 2, "ends": 2, "answers": 1, "intents": 1})
	f("", live, map[string]int{"users": 1, "calls": 2, "ends": 2, "answers": 1, "intents": 1, "thoughts": 27, "deltas": 23})
}

// S2-1, S2-58, S2-59: a live stream, its history with all deltas and its history without say the same in the end.
func TestHistoryIsLive(t *testing.T) {
	live := wireOf(t, "seed_live")
	f := func(why, options string, records []string) {
		t.Helper()
		want, got := sense(normalized(decode(t, "", live...))), sense(normalized(decode(t, options, records...)))
		if options != "" { // thoughts are not in the seed's history
			if got.Text("", hub.Reasoning) == "" {
				want = sense(withoutReasoning(normalized(decode(t, "", live...))))
			}
		}
		for _, fault := range want.Compare(got) {
			t.Errorf("%s: %s", why, fault)
		}
		for _, fault := range got.Compare(want) {
			t.Errorf("%s, backwards: %s", why, fault)
		}
	}
	f("history without deltas", "history=true", wireOf(t, "seed_history"))
	f("history with deltas", "history=true", wireOf(t, "history_with_deltas"))
	// S2-63: what is written from history reads the same as what was live.
	f("history made into frames", "", encode(t, "envelope=ws", normalized(decode(t, "history=true", wireOf(t, "history_with_deltas")...))))
}

func withoutReasoning(evs []hub.Event) []hub.Event {
	return slices.DeleteFunc(evs, func(ev hub.Event) bool { return ev.Chan == hub.Reasoning })
}

// S2-22, S2-46: what clients look elements up by is in every frame. S2-49: command and description of a call, S2-50: its
// name, which only the start has; S2-51: how it ended; S2-52: the exact text of its result; S2-53: full texts at the end.
func TestKeysOfFrames(t *testing.T) {
	in := append(slices.Clone(wireOf(t, "caco")), wireOf(t, "interleaved")[3:7]...)
	missing := map[string]bool{
		"caco.embed": true, "assistant.message": true, "assistant.reasoning": true, "tool.execution_start": true, "tool.execution_complete": true,
	}
	for _, rec := range encode(t, "envelope=ws", normalized(decode(t, "", in...))) {
		typ := member(rec, "type")
		delete(missing, typ)
		switch {
		case strings.HasPrefix(typ, "tool.") && member(rec, "data", "toolCallId") == "",
			typ == "caco.embed" && member(rec, "data", "outputId") != "out_1769887300000_a1b2c3",
			strings.HasPrefix(typ, "assistant.message") && member(rec, "data", "messageId") == "",
			strings.HasPrefix(typ, "assistant.reasoning") && member(rec, "data", "reasoningId") == "":
			t.Errorf("lacks its key: %s", rec)
		case typ == "tool.execution_start" && member(rec, "data", "arguments", "command") != `cat ~/copilot-web/server.pid && echo ""`,
			typ == "tool.execution_start" && member(rec, "data", "arguments", "description") != "Get current server PID",
			typ == "tool.execution_start" && member(rec, "data", "toolName") != "bash",
			typ == "tool.execution_complete" && member(rec, "data", "result", "content") != "1273570\n<exited with exit code 0>",
			typ == "tool.execution_complete" && member(rec, "data", "success") != "true",
			typ == "assistant.message" && member(rec, "data", "content") != "Your system looks healthy:",
			typ == "assistant.reasoning" && member(rec, "data", "content") != "The user wants me to do a live test where":
			t.Errorf("lacks its content: %s", rec)
		}
	}
	if len(missing) > 0 {
		t.Errorf("not written at all: %v", missing)
	}
}

// S2-47: an update of a call that has not started is not lost; it comes when the call does.
func TestUpdateOfUnknownCall(t *testing.T) {
	got := again(t, "",
		`{"type":"tool.execution_progress","data":{"toolCallId":"late","progressMessage":"half"}}`,
		`{"type":"tool.execution_partial_result","data":{"toolCallId":"late","partialOutput":{"lines":2}}}`,
		`{"type":"tool.execution_start","data":{"toolCallId":"late","toolName":"bash","arguments":{"command":"sleep 1"}}}`)
	want := []string{
		`{"type":"tool.execution_start","data":{"toolCallId":"late","toolName":"bash","arguments":{"command":"sleep 1"}}}`,
		`{"type":"tool.execution_progress","ephemeral":true,"data":{"toolCallId":"late","progressMessage":"half"}}`,
		`{"type":"tool.execution_partial_result","ephemeral":true,"data":{"toolCallId":"late","partialOutput":"{\"lines\":2}"}}`,
	}
	if len(got) < 3 || !slices.Equal(got[:3], want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// S2-44: whether an event is passing is known for every type, said or not, and is said again.
func TestEphemeral(t *testing.T) {
	passing := map[string]bool{}
	for _, rec := range wireOf(t, "types") {
		passing[member(rec, "type")] = member(rec, "ephemeral") == "true"
	}
	bare := make([]string, 0, len(passing))
	for _, rec := range wireOf(t, "types") {
		bare = append(bare, strings.Replace(rec, `"ephemeral":true,`, ``, 1))
	}
	seen := 0
	for _, rec := range again(t, "sdk=1", bare...) {
		want, known := passing[member(rec, "type")]
		if got := member(rec, "ephemeral") == "true"; known && got != want {
			t.Errorf("ephemeral is %t: %s", got, rec)
		}
		seen++
	}
	if seen < 137 {
		t.Errorf("only %d events came out", seen)
	}
	emitted := again(t, "", `{"type":"session.info","ephemeral":true,"data":{"infoType":"x","message":"y"}}`, `{"type":"skill.invoked","ephemeral":true,"data":{}}`)
	for _, rec := range emitted[:2] {
		if member(rec, "ephemeral") != "true" {
			t.Errorf("this one was passing: %s", rec)
		}
	}
}

// S2-54: clients see when a run begins, though it has no turns, and when it ends, well or not.
func TestRunIsVisible(t *testing.T) {
	f := func(end hub.Status, want ...string) {
		t.Helper()
		evs := []hub.Event{{Kind: hub.RunStart, ID: []byte("run-1"), Ref: []byte("s1")}, {Kind: hub.RunEnd, Status: end}}
		if got := types(encode(t, "", evs)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", end, got, want)
		}
	}
	f(hub.StatusDone, "assistant.turn_start", "assistant.turn_end", "session.idle")
	f(hub.StatusFailed, "assistant.turn_start", "assistant.turn_end", "session.error")
	f(hub.StatusTruncated, "assistant.turn_start", "assistant.turn_end", "session.error")
	f(hub.StatusCancelled, "assistant.turn_start", "assistant.turn_end", "abort", "session.idle")
	steps := []hub.Event{{Kind: hub.RunStart, ID: []byte("r")}, {Kind: hub.StepStart, ID: []byte("0")}, {Kind: hub.StepEnd, ID: []byte("0")}, {Kind: hub.RunEnd, Status: hub.StatusDone}}
	turns := ""
	for _, rec := range encode(t, "", steps) {
		turns += member(rec, "type") + member(rec, "data", "turnId") + " "
	}
	if turns != "assistant.turn_startr assistant.turn_endr assistant.turn_start0 assistant.turn_end0 session.idle " {
		t.Errorf("turns overlap: %s", turns)
	}
}

// SX-2, S2-57, S2-67: a record of an unknown type passes unchanged, in every envelope; what is inside another's is put into
// that of the stream.
func TestUnknownTypesPass(t *testing.T) {
	inner := `{"id":"1","type":"workflow.run_started","x":[1, 2],"data":{"runId":"w1"}}`
	ws := `{"type":"event","sessionId":"session-1","event":` + inner + `}`
	rpc := `{"jsonrpc":"2.0","method":"session.event","params":{"sessionId":"session-1","event":` + inner + `}}`
	for _, in := range []string{inner, ws, rpc} {
		for envelope, want := range map[string]string{"none": inner, "ws": ws, "jsonrpc": rpc} {
			got := again(t, "filter=off envelope="+envelope, in)
			if got[0] != want {
				t.Errorf("into %s:\n got %s\nwant %s", envelope, got[0], want)
			}
		}
	}
	var json rawjson.Decoder
	for _, rec := range again(t, "envelope=jsonrpc", `{"type":"telepathy"}`, `{"type":"session.idle"}`) {
		if err := json.Valid([]byte(rec)); err != nil || strings.Contains(rec, "telepathy") {
			t.Errorf("a frame of another protocol: %s", rec)
		}
	}
}

// TestAgentsOfOneCall: a call may run one sub-agent after the other, and an agent may be started again.
func TestAgentsOfOneCall(t *testing.T) {
	started := func(agent string) string {
		return `{"type":"subagent.started","agentId":"` + agent + `","data":{"toolCallId":"t1","agentName":"n"}}`
	}
	ended := func(agent string) string {
		return `{"type":"subagent.completed","agentId":"` + agent + `","data":{"toolCallId":"t1","agentName":"n"}}`
	}
	says := func(agent, id string) string {
		return `{"type":"assistant.message","agentId":"` + agent + `","data":{"messageId":"` + id + `","content":"x","parentToolCallId":"t1"}}`
	}
	evs := decode(t, "", started("t1"), says("t1", "m1"), ended("t1"), started("b"), says("b", "m2"),
		`{"type":"assistant.message","data":{"messageId":"m3","content":"x","parentToolCallId":"t1"}}`, ended("b"), started("b"), says("b", "m4"), ended("b"))
	got := ""
	for _, ev := range evs {
		switch ev.Kind {
		case hub.AgentStart, hub.AgentEnd:
			got += ev.Kind.String()[6:] + ":" + string(ev.ID) + " "
		case hub.TextEnd:
			got += string(ev.ID) + "@" + string(ev.SubAgent) + " "
		}
	}
	if want := "start:t1 m1@t1 end:t1 start:b m2@b m3@b end:b start:b m4@b end:b "; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

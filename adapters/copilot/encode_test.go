package copilot_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/copilot"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// events are normalized events in native notation.
func events(t *testing.T, lines ...string) []hub.Event {
	t.Helper()
	evs, err := adaptertest.Events([]byte(strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return evs
}

// TestEncode shows what becomes of events that only other dialects have.
func TestEncode(t *testing.T) {
	f := func(event string, disposition hub.Disposition, want ...string) {
		t.Helper()
		enc, out := copilot.Dialect.NewEncoder(copilot.Dialect.Defaults()), wire.NewOut(wire.NDJSON)
		evs := events(t, event)
		if got := enc.Encode(out, &evs[0]); got != disposition {
			t.Errorf("%s: %s, want %s", event, got, disposition)
		}
		enc.Encode(out, &hub.Event{Kind: hub.TextStart, ID: []byte("next")}) // writes nothing, but a plan waits for it
		if got := strings.TrimSpace(string(out.Buf)); got != strings.Join(want, "\n") {
			t.Errorf("%s:\n got %s\nwant %s", event, got, strings.Join(want, "\n"))
		}
	}
	f(`{"kind":"plan","id":"p","items":[{"content":"Read","status":"completed"},{"content":"Fix","priority":"high","id":"2"}]}`, hub.Extension,
		`{"type":"sabir.plan","data":{"planId":"p","items":[{"step":"Read","status":"completed"},{"step":"Fix","priority":"high","itemId":"2"}]}}`)
	f(`{"kind":"plan","items":[]}`, hub.Extension, `{"type":"sabir.plan","data":{"items":[]}}`)
	f(`{"kind":"source","ref":"p1","id":"s","title":"Docs","text":"q","value":{"a":1},"file":{"url":"https://x"}}`, hub.Extension,
		`{"type":"sabir.source","data":{"ref":"p1","refId":"s","title":"Docs","quote":"q","url":"https://x","range":{"a":1}}}`)
	f(`{"kind":"file","id":"f","file":{"url":"https://x/a.png","media":"image/png","name":"a","file_id":"i"}}`, hub.Extension,
		`{"type":"sabir.file","data":{"refId":"f","url":"https://x/a.png","fileName":"a","fileId":"i","mimeType":"image/png"}}`)
	f(`{"kind":"file","file":{"base64":"aGk="}}`, hub.Native,
		`{"type":"session.binary_asset","data":{"assetId":"asset","byteLength":2,"data":"aGk=","mimeType":"application/octet-stream","type":"resource"}}`)
	f(`{"kind":"file","flags":["user"],"file":{"base64":"aGk=","name":"a"}}`, hub.Native,
		`{"type":"user.message","data":{"content":"","attachments":[{"type":"blob","data":"aGk=","mimeType":"application/octet-stream","displayName":"a"}]}}`)
	f(`{"kind":"data","op":"emit","name":"external_tool.requested","value":{"requestId":"q","toolCallId":"t","toolName":"n"}}`, hub.Dropped) // of no call
	f(`{"kind":"data","op":"patch","name":"state","value":[]}`, hub.Extension,
		`{"type":"sabir.data","data":{"name":"state","op":"patch","value":[]}}`)
	f(`{"kind":"data","op":"emit","name":"session.idle","value":{}}`, hub.Extension, // it ends nothing
		`{"type":"sabir.data","data":{"name":"session.idle","op":"emit","value":{}}}`)
	f(`{"kind":"data","op":"emit","name":"caco.x","value":7}`, hub.Extension, `{"type":"sabir.data","data":{"name":"caco.x","op":"emit","value":7}}`)
	f(`{"kind":"raw","name":"anthropic","id":"ping","value":{"type":"ping"}}`, hub.Extension,
		`{"type":"sabir.raw","data":{"dialect":"anthropic","event":"ping","record":{"type":"ping"}}}`)
	f(`{"kind":"raw","name":"x","text":"no JSON"}`, hub.Extension, `{"type":"sabir.raw","data":{"dialect":"x","record":"no JSON"}}`)
	f(`{"kind":"usage","scope":"session","model":"m","usage":{"in":1,"total":3,"cost":0.5,"currency":"USD"}}`, hub.Extension,
		`{"type":"sabir.usage","data":{"scope":"session","model":"m","inputTokens":1,"totalTokens":3,"cost":0.5,"currency":"USD"}}`)
	f(`{"kind":"usage","scope":"run","model":"m","usage":{"in":1,"out":2,"cost":0.5,"currency":"USD"}}`, hub.Native,
		`{"type":"assistant.usage","ephemeral":true,"data":{"model":"m","inputTokens":1,"outputTokens":2}}`)
	f(`{"kind":"usage","scope":"session","usage":{"in":1,"context_used":5}}`, hub.Folded,
		`{"type":"session.usage_info","ephemeral":true,"data":{"currentTokens":5}}`)
	f(`{"kind":"notice","level":"error","name":"e1","text":"Oh"}`, hub.Folded, `{"type":"session.warning","data":{"warningType":"e1","message":"Oh"}}`)
	f(`{"kind":"notice","level":"status","text":"Busy"}`, hub.Native, `{"type":"session.info","data":{"infoType":"status","message":"Busy"}}`)
	f(`{"kind":"notice","level":"info","lane":"a","text":"So"}`, hub.Native, `{"type":"session.info","agentId":"a","data":{"infoType":"notification","message":"So"}}`)
	f(`{"kind":"run.end","status":"limit"}`, hub.Extension, `{"type":"session.idle","ephemeral":true,"data":{"reason":"limit"}}`)
	f(`{"kind":"run.end","status":"paused","err":"Waiting"}`, hub.Extension, `{"type":"session.idle","ephemeral":true,"data":{"reason":"paused","message":"Waiting"}}`)
	f(`{"kind":"run.end","status":"truncated"}`, hub.Folded,
		`{"type":"session.error","data":{"errorType":"truncated","message":"The agent stopped before the answer was complete."}}`)
	f(`{"kind":"run.end","status":"failed"}`, hub.Native, `{"type":"session.error","data":{"errorType":"failed","message":"The run failed."}}`)
	f(`{"kind":"tool.update","id":"t","percent":30}`, hub.Folded, `{"type":"tool.execution_progress","ephemeral":true,"data":{"toolCallId":"t","progressMessage":"30 %"}}`)
	f(`{"kind":"tool.update","id":"t","title":"Now"}`, hub.Folded, `{"type":"tool.execution_progress","ephemeral":true,"data":{"toolCallId":"t","progressMessage":"Now"}}`)
	f(`{"kind":"tool.update","id":"t","value":{}}`, hub.Dropped)
	f(`{"kind":"tool.update","id":"t","status":"running"}`, hub.Implied)
	f(`{"kind":"tool.output","id":"t","op":"replace","text":"x"}`, hub.Dropped)
	f(`{"kind":"tool.output","chan":"stderr","id":"t","text":"x"}`, hub.Folded, `{"type":"tool.execution_partial_result","ephemeral":true,"data":{"toolCallId":"t","partialOutput":"x"}}`)
	f(`{"kind":"tool.end","id":"t","status":"unknown"}`, hub.Folded, `{"type":"tool.execution_complete","data":{"toolCallId":"t","success":true}}`)
	f(`{"kind":"tool.end","id":"t","status":"ok","value":{"a":[1]},"content":[{"type":"diff","path":"a"}]}`, hub.Native,
		`{"type":"tool.execution_complete","data":{"toolCallId":"t","success":true,"result":{"content":"{\"a\":[1]}","contents":[{"type":"diff","path":"a"}]}}}`)
	f(`{"kind":"tool.end","id":"t","status":"ok","value":"s","content":[]}`, hub.Native,
		`{"type":"tool.execution_complete","data":{"toolCallId":"t","success":true,"result":{"content":"s","contents":[]}}}`)
	f(`{"kind":"tool.end","id":"t","status":"denied"}`, hub.Native,
		`{"type":"tool.execution_complete","data":{"toolCallId":"t","success":false,"error":{"message":"","code":"denied"}}}`)
	f(`{"kind":"tool.end","id":"t","status":"error","text":"why"}`, hub.Native,
		`{"type":"tool.execution_complete","data":{"toolCallId":"t","success":false,"result":{"content":"why"},"error":{"message":"why"}}}`)
}

// TestEncodeStreams shows what depends on what came before.
func TestEncodeStreams(t *testing.T) {
	f := func(options string, lines []string, want ...string) {
		t.Helper()
		if got := strings.Join(encode(t, options, events(t, lines...)), "\n"); got != strings.Join(want, "\n") {
			t.Errorf("%s\n got %s\nwant %s", strings.Join(lines, "\n"), got, strings.Join(want, "\n"))
		}
	}
	f("extensions=false", []string{`{"kind":"plan","items":[]}`, `{"kind":"raw","name":"x","value":1}`, `{"kind":"data","op":"set","name":"x","value":1}`})
	f("", []string{ // progress waits for the call
		`{"kind":"tool.start","id":"t","name":"bash"}`, `{"kind":"tool.update","id":"t","text":"a"}`, `{"kind":"tool.update","id":"t","text":"b"}`,
		`{"kind":"tool.args","id":"t","text":"{}"}`, `{"kind":"tool.ready","id":"t","name":"bash","value":{}}`},
		`{"type":"tool.execution_start","data":{"toolCallId":"t","toolName":"bash","arguments":{}}}`,
		`{"type":"tool.execution_progress","ephemeral":true,"data":{"toolCallId":"t","progressMessage":"b"}}`)
	f("session=s7", []string{ // the client is asked to run its own tools
		`{"kind":"tool.start","flags":["client_runs"],"id":"t","name":"pick"}`, `{"kind":"tool.ready","id":"t","name":"pick","value":{"a":1}}`},
		`{"type":"tool.execution_start","data":{"toolCallId":"t","toolName":"pick","arguments":{"a":1}}}`,
		`{"type":"external_tool.requested","data":{"requestId":"t","sessionId":"s7","toolCallId":"t","toolName":"pick","arguments":{"a":1}}}`)
	f("", []string{ // a message in two parts is two messages: the full text of the second would replace the first
		`{"kind":"text.start","id":"p1","msg":"m"}`, `{"kind":"text.delta","id":"p1","msg":"m","text":"One"}`, `{"kind":"text.end","id":"p1","msg":"m"}`,
		`{"kind":"text.start","id":"p2","msg":"m"}`, `{"kind":"text.delta","id":"p2","msg":"m","text":"Two"}`, `{"kind":"text.end","id":"p2","msg":"m"}`},
		`{"type":"assistant.message_delta","ephemeral":true,"data":{"messageId":"m","deltaContent":"One","totalResponseSizeBytes":3}}`,
		`{"type":"assistant.message","data":{"messageId":"m","content":"One","toolRequests":[]}}`,
		`{"type":"assistant.message_delta","ephemeral":true,"data":{"messageId":"p2","deltaContent":"Two","totalResponseSizeBytes":3}}`,
		`{"type":"assistant.message","data":{"messageId":"p2","content":"Two","toolRequests":[]}}`)
	f("", []string{ // text that was replaced is right in the end
		`{"kind":"text.start","id":"p","msg":"m"}`, `{"kind":"text.delta","id":"p","text":"Wrong"}`,
		`{"kind":"text.delta","id":"p","op":"replace","text":"R"}`, `{"kind":"text.delta","id":"p","text":"ight"}`, `{"kind":"text.end","id":"p"}`},
		`{"type":"assistant.message_delta","ephemeral":true,"data":{"messageId":"m","deltaContent":"Wrong","totalResponseSizeBytes":5}}`,
		`{"type":"assistant.message_delta","ephemeral":true,"data":{"messageId":"m","deltaContent":"ight","totalResponseSizeBytes":5}}`,
		`{"type":"assistant.message","data":{"messageId":"m","content":"Right","toolRequests":[]}}`)
	f("", []string{ // a system prompt is no answer
		`{"kind":"text.start","id":"p","name":"system"}`, `{"kind":"text.delta","id":"p","text":"Be kind"}`, `{"kind":"text.end","id":"p"}`},
		`{"type":"system.message","data":{"content":"Be kind","role":"system"}}`)
	f("", []string{ // the totals of a run are the sum of its calls
		`{"kind":"usage","scope":"step","usage":{"in":1}}`, `{"kind":"usage","scope":"run","usage":{"in":1}}`},
		`{"type":"assistant.usage","ephemeral":true,"data":{"inputTokens":1}}`, `{"type":"sabir.usage","data":{"scope":"run","inputTokens":1}}`)
}

// TestEncodeAsks shows questions and answers of other dialects.
func TestEncodeAsks(t *testing.T) {
	f := func(ask, answer string, disposition hub.Disposition, want ...string) {
		t.Helper()
		enc, out := copilot.Dialect.NewEncoder(copilot.Dialect.Defaults()), wire.NewOut(wire.NDJSON)
		evs := events(t, ask, answer)
		enc.Encode(out, &evs[0])
		if got := enc.Encode(out, &evs[1]); got != disposition {
			t.Errorf("%s: %s, want %s", answer, got, disposition)
		}
		if got := strings.TrimSpace(string(out.Buf)); got != strings.Join(want, "\n") {
			t.Errorf("%s %s:\n got %s\nwant %s", ask, answer, got, strings.Join(want, "\n"))
		}
	}
	permission := `{"kind":"ask","what":"permission","id":"q","ref":"t","title":"Delete?","value":{"a":1},"options":[{"id":"y","kind":"allow_once"},{"id":"ya","kind":"allow_always"},{"id":"n","kind":"reject_once"},{"id":"approved","kind":"allow_once"}]}`
	asked := `{"type":"permission.requested","data":{"requestId":"q","permissionRequest":{"kind":"custom-tool","intention":"Delete?","toolName":"t","toolDescription":"Delete?","toolCallId":"t","canOfferSessionApproval":true,"args":{"a":1}}}}`
	f(permission, `{"kind":"answer","status":"chosen","id":"q","name":"y"}`, hub.Folded, asked, `{"type":"permission.completed","data":{"requestId":"q","result":{"kind":"approved"}}}`)
	f(permission, `{"kind":"answer","status":"chosen","id":"q","name":"approved"}`, hub.Native, asked, `{"type":"permission.completed","data":{"requestId":"q","result":{"kind":"approved"}}}`)
	f(permission, `{"kind":"answer","status":"chosen","id":"q","name":"ya"}`, hub.Folded, asked, `{"type":"permission.completed","data":{"requestId":"q","result":{"kind":"approved-for-session"}}}`)
	f(permission, `{"kind":"answer","status":"chosen","id":"q","name":"n"}`, hub.Folded, asked, `{"type":"permission.completed","data":{"requestId":"q","result":{"kind":"denied-interactively-by-user"}}}`)
	f(permission, `{"kind":"answer","status":"expired","id":"q"}`, hub.Folded, asked, `{"type":"permission.completed","data":{"requestId":"q","result":{"kind":"cancelled"}}}`)

	form := `{"kind":"ask","what":"input","id":"q","title":"Name","schema":{"type":"object"}}`
	filled := `{"type":"elicitation.requested","ephemeral":true,"data":{"requestId":"q","message":"Name","mode":"form","requestedSchema":{"type":"object"}}}`
	f(form, `{"kind":"answer","status":"chosen","id":"q","value":{"n":1}}`, hub.Folded, filled, `{"type":"elicitation.completed","ephemeral":true,"data":{"requestId":"q","action":"accept","content":{"n":1}}}`)
	f(form, `{"kind":"answer","status":"cancelled","id":"q"}`, hub.Folded, filled, `{"type":"elicitation.completed","ephemeral":true,"data":{"requestId":"q","action":"cancel"}}`)

	words := `{"kind":"ask","what":"input","id":"q","title":"Which?"}`
	open := `{"type":"user_input.requested","ephemeral":true,"data":{"requestId":"q","question":"Which?","allowFreeform":true}}`
	f(words, `{"kind":"answer","status":"chosen","id":"q","value":"that"}`, hub.Native, open, `{"type":"user_input.completed","ephemeral":true,"data":{"requestId":"q","answer":"that","wasFreeform":true}}`)
	f(words, `{"kind":"answer","status":"chosen","id":"q","value":{"a":1}}`, hub.Native, open, `{"type":"user_input.completed","ephemeral":true,"data":{"requestId":"q","answer":"{\"a\":1}","wasFreeform":true}}`)
	f(words, `{"kind":"answer","status":"cancelled","id":"q"}`, hub.Native, open, `{"type":"user_input.completed","ephemeral":true,"data":{"requestId":"q"}}`)
	f(words, `{"kind":"answer","status":"chosen","id":"unknown","name":"x"}`, hub.Native, open, `{"type":"user_input.completed","ephemeral":true,"data":{"requestId":"unknown","answer":"x","wasFreeform":false}}`)

	choices := `{"kind":"ask","what":"question","id":"q","title":"Go?","options":[{"id":"y","name":"Yes"},{"id":"n"}]}`
	offered := `{"type":"user_input.requested","ephemeral":true,"data":{"requestId":"q","question":"Go?","choices":["Yes","n"],"allowFreeform":false}}`
	f(choices, `{"kind":"answer","status":"chosen","id":"q","name":"y"}`, hub.Folded, offered, `{"type":"user_input.completed","ephemeral":true,"data":{"requestId":"q","answer":"Yes","wasFreeform":false}}`)
	f(choices, `{"kind":"answer","status":"chosen","id":"q","name":"n"}`, hub.Native, offered, `{"type":"user_input.completed","ephemeral":true,"data":{"requestId":"q","answer":"n","wasFreeform":false}}`)
}

// TestKept: what is kept for the full text is written while the part is open.
func TestKept(t *testing.T) {
	enc, out := copilot.Dialect.NewEncoder(copilot.Dialect.Defaults()), wire.NewOut(wire.NDJSON)
	var numbers sequencer.Numbers
	step := func(line string, kept int) {
		t.Helper()
		evs := events(t, line)
		numbers.Event(&evs[0])
		enc.Encode(out, &evs[0])
		if got := enc.(hub.Keeper).Kept(); got != kept {
			t.Errorf("%s: %d bytes are kept, want %d", line, got, kept)
		}
	}
	step(`{"kind":"text.start","id":"a","msg":"m1"}`, 0)
	step(`{"kind":"text.delta","id":"a","text":"1234"}`, 4)
	step(`{"kind":"text.start","id":"b","msg":"m2"}`, 4)
	step(`{"kind":"text.delta","id":"b","text":"56"}`, 6)
	step(`{"kind":"text.delta","op":"replace","id":"a","text":"7"}`, 3)
	step(`{"kind":"text.end","id":"a"}`, 2)
	step(`{"kind":"text.end","id":"b"}`, 0)
}

// TestIDs: the ids of events have the form that the SDK's have, form a chain, and differ from run to run.
func TestIDs(t *testing.T) {
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	all := map[string]bool{}
	for _, run := range []string{`"id":"r1"`, `"id":"r2"`, `"id":"r1","time":1760000000000`, `"id":"r1","ref":"other"`} {
		before := "null"
		for _, rec := range encode(t, "ids=true", events(t, `{"kind":"run.start",`+run+`}`, `{"kind":"run.end","status":"done"}`)) {
			id := member(rec, "id")
			if !form.MatchString(id) || all[id] || member(rec, "parentId") != before {
				t.Errorf("%s: %s follows %s", run, rec, before)
			}
			all[id], before = true, id
		}
	}
	timed := encode(t, "ids=true", events(t, `{"kind":"notice","level":"info","text":"x","time":1769887301102}`, `{"kind":"run.end","status":"done"}`))
	if got := member(timed[1], "timestamp"); got != "2026-01-31T19:21:41.102Z" {
		t.Errorf("the time is %s", got)
	}
}

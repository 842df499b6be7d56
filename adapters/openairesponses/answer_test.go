package openairesponses

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestAnswerOfParallelCalls: in an answer in one piece, calls that were made together have each its own arguments and result.
func TestAnswerOfParallelCalls(t *testing.T) {
	call := func(id, args, result string) hub.Part {
		return hub.Part{
			Kind: hub.PartCall, ID: []byte(id), Name: []byte("tool"), Value: []byte(args),
			Result: &hub.CallResult{Status: hub.StatusOK, Text: []byte(result)},
		}
	}
	run := hub.Run{
		ID: []byte("r"), Ended: true, Status: hub.StatusDone, Usage: hub.NoCounts,
		Messages: []hub.Message{{Role: hub.RoleAgent, ID: []byte("m"), Parts: []hub.Part{
			call("c1", `{"n":1}`, "one"), call("c2", `{"n":2}`, "two"),
		}}},
	}
	var losses hub.Losses
	got := string(appendAnswer(nil, Dialect.Defaults(), new(hub.Request), &run, &losses))
	for _, want := range []string{`"arguments":"{\"n\":1}","output":"one"`, `"arguments":"{\"n\":2}","output":"two"`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
}

// TestAnswerOfEarlierCall: an answer in one piece asks for the approval of a call of an earlier run by what the request tells of it, as the stream does.
func TestAnswerOfEarlierCall(t *testing.T) {
	asked := hub.Request{Messages: []hub.Message{{Role: hub.RoleAgent, Parts: []hub.Part{{Kind: hub.PartCall, ID: []byte("c1"), Name: []byte("rm"), Value: []byte(`{"path":"a"}`)}}}}}
	asked.Remember(false)
	run := hub.Run{ID: []byte("r"), Ended: true, Status: hub.StatusPaused, Usage: hub.NoCounts}
	for call, want := range map[string]string{
		"c1": `"name":"rm","arguments":"{\"path\":\"a\"}"`, "c2": `"name":"unknown","arguments":"{}"`,
	} {
		run.Asks = []hub.Event{{Kind: hub.Ask, ID: []byte("q"), AskKind: hub.AskPermission, Ref: []byte(call)}}
		var losses hub.Losses
		got := string(appendAnswer(nil, Dialect.Defaults(), &asked, &run, &losses))
		if !strings.Contains(got, `"type":"mcp_approval_request","server_label":"agent",`+want) {
			t.Errorf("of %s: want %s in %s", call, want, got)
		}
	}
}

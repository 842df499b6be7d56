package replay_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/replay"
)

var form = replay.Form{Dialect: &native.Dialect}

// TestForm tells a conversation as a list of records, and reads it again. A call that waits has no end.
func TestForm(t *testing.T) {
	text := func(s string) hub.Part { return hub.Part{Kind: hub.PartText, Text: []byte(s)} }
	call := func(id string, r *hub.CallResult) hub.Part {
		return hub.Part{Kind: hub.PartCall, ID: []byte(id), Name: []byte("ls"), Value: []byte("{}"), Result: r, Approval: &hub.Approval{}}
	}
	ms := []hub.Message{
		{Role: hub.RoleSystem, Parts: []hub.Part{text("Be brief.")}},
		{Role: hub.RoleUser, ID: []byte("u1"), Parts: []hub.Part{text("Hi")}},
		{Role: hub.RoleAgent, ID: []byte("a1"), Parts: []hub.Part{text("So."), call("c1", &hub.CallResult{Status: hub.StatusError, Err: []byte("no")}), call("c2", nil)}},
		{Role: hub.RoleResults, Parts: []hub.Part{call("c0", &hub.CallResult{Status: hub.StatusOK})}},
	}
	var l hub.Losses
	list := form.AppendMessages([]byte("> "), ms, &l)
	if want := []string{"messages.system", "messages.approval", "messages.result"}; !slices.Equal(l.Names, want) {
		t.Errorf("losses %q", l.Names)
	}
	body, ok := strings.CutPrefix(string(list), "> ")
	got, err := form.DecodeMessages(ms[:1], []byte(body))
	if !ok || err != nil || len(got) != 3 || got[1].Role != hub.RoleUser || string(got[2].ID) != "a1" {
		t.Fatalf("%v, %+v of %s", err, got, list)
	}
	said, failed, waits := got[2].Parts[0], got[2].Parts[1], got[2].Parts[2]
	if string(said.Text) != "So." || failed.Result == nil || failed.Result.Status != hub.StatusError || string(failed.Result.Text) != "no" || waits.Result != nil {
		t.Errorf("%+v of %s", got[2].Parts, list)
	}
}

// TestEnds: the end of a run between records ends nothing, and a bad record is named.
func TestEnds(t *testing.T) {
	const hi, end = `{"kind":"text.delta","id":"p","text":"Hi"}`, `{"kind":"run.end","status":"done"}`
	ms, err := form.DecodeMessages(nil, []byte(`[`+hi+`,`+end+`,{"kind":"text.delta","id":"q","text":"there"}]`))
	if err != nil || len(ms) != 1 || len(ms[0].Parts) != 2 {
		t.Errorf("%v, %+v", err, ms)
	}
	if _, err := form.DecodeMessages(nil, []byte(`[`+hi+`,{}]`)); err == nil || !strings.HasPrefix(err.Error(), "messages.1") {
		t.Errorf("a bad record: %v", err)
	}
}

package mastra

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// TestTrippedAnswers: an answer in one piece says why a processor has stopped the run, in the forms of version 1 and before, and why it has failed.
func TestTrippedAnswers(t *testing.T) {
	f := func(members, want string) {
		t.Helper()
		d := &Dialect
		body := `{"text":"","toolCalls":[],"toolResults":[],"runId":"r",` + members + `}`
		evs, err := d.NewDecoder(d.Defaults()).Decode(nil, wire.Record{Data: []byte(body)})
		if err != nil {
			t.Fatal(err)
		}
		end := &evs[len(evs)-1]
		if got := end.Status.String() + " " + string(end.Rare().Err); end.Kind != hub.RunEnd || got != want {
			t.Errorf("%s: got %s, want %s", members, got, want)
		}
	}
	f(`"finishReason":"other","tripwire":{"reason":"not allowed","processorId":"p"}`, "filtered not allowed")
	f(`"finishReason":"tripwire","tripwire":{"reason":"not allowed"}`, "filtered not allowed")
	f(`"finishReason":"other","tripwire":true,"tripwireReason":"not allowed"`, "filtered not allowed")
	f(`"finishReason":"stop","tripwire":false,"tripwireReason":""`, "done ")
	f(`"finishReason":"error","error":{"message":"no model"}`, "failed no model")
}

// TestWholeAnswer: what an answer in one piece says beside its text: sources and files, which are chunks, what the run has used, and that it waits.
func TestWholeAnswer(t *testing.T) {
	const body = `{"text":"","toolCalls":[],"toolResults":[],"finishReason":"suspended","runId":"r","totalUsage":{"inputTokens":3,"outputTokens":4,"totalTokens":7},` +
		`"sources":[{"type":"source","runId":"r","from":"AGENT","payload":{"id":"s","sourceType":"url","title":"T","url":"https://x"}}],` +
		`"files":[{"type":"file","runId":"r","from":"AGENT","payload":{"data":"AAAA","mimeType":"image/png"}}],"response":{"modelId":"m"}}`
	d := &Dialect
	evs, err := d.NewDecoder(d.Defaults()).Decode(nil, wire.Record{Data: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for i := range evs {
		ev, more := &evs[i], evs[i].Rare()
		switch got += ev.Kind.String() + " "; ev.Kind {
		case hub.Source, hub.File:
			got += string(more.File.URL) + string(more.File.Base64) + " "
		case hub.Usage:
			if ev.Scope != hub.RunScope || more.Usage.In != 3 || more.Usage.Out != 4 || more.Usage.Total != 7 || string(more.Model) != "m" {
				t.Errorf("it has used %+v by %s", more.Usage, more.Model)
			}
		case hub.RunEnd:
			got += ev.Status.String()
		}
	}
	if want := "run.start source https://x file AAAA usage run.end paused"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

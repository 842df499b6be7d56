package mastra

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

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

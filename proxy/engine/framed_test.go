package engine_test

import (
	"bytes"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/a2a"
	"github.com/sabir-proxy/sabir/adapters/agui"
	"github.com/sabir-proxy/sabir/adapters/gemini"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/langgraph"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/openaichat"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

// FuzzFramed: whatever follows records that are known, the output is the same with and without that records like them are split off.
func FuzzFramed(f *testing.F) {
	dialects := []*hub.Dialect{&native.Dialect, &openaichat.Dialect, &langgraph.Dialect, &gemini.Dialect, &agui.Dialect, &a2a.Dialect}
	records := []string{
		"id: 1\ndata: {\"kind\":\"text.delta\",\"id\":\"p\",\"text\":\"a\"}\n\n",
		"data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":null,\"logprobs\":{\"content\":[{\"token\":\"a\",\"logprob\":-0.5}]}}],\"usage\":null,\"obfuscation\":\"xY\"}\n\n",
		"id: 7\r\nevent: messages\r\ndata: [{\"content\":\"a\",\"type\":\"AIMessageChunk\",\"id\":\"r\",\"usage_metadata\":null},{\"langgraph_node\":\"n\",\"langgraph_step\":1}]\r\n\r\n",
		"data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}],\"role\":\"model\"},\"index\":0}],\"usageMetadata\":{\"promptTokenCount\":3,\"totalTokenCount\":4}}\r\n\r\n",
		"data: {\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m\",\"delta\":\"a\",\"timestamp\":1790000000000}\n\n",
		"data: {\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{\"artifactUpdate\":{\"taskId\":\"t\",\"contextId\":\"c\",\"artifact\":{\"artifactId\":\"a\",\"parts\":[{\"text\":\"a\"}]},\"append\":true,\"metadata\":{\"x\":{\"y\":[1,2]}}}}}\r\n\r\n",
	}
	for i, record := range records {
		f.Add(i, []byte(record), 30)
		f.Add(i, bytes.Replace([]byte(record), []byte(`"a"`), []byte("\"b\\n\u00e9\""), 1), 3)
		f.Add(i, bytes.Replace([]byte(record), []byte(`"a"`), []byte("\"b\nc\""), 1), 50)
		f.Add(i, bytes.Replace([]byte(record), []byte(`{`), []byte("{\n"), 1), 50)
	}
	f.Fuzz(func(t *testing.T, i int, more []byte, cut int) {
		if i < 0 || i >= len(records) {
			return
		}
		stream := append([]byte(records[i]+records[i]), more...)
		stream = append(append(stream, records[i]...), more...)
		if cut < 0 || cut > len(stream) {
			return
		}
		want, wantErr := translateAs(dialects[i], stream, len(stream), true)
		if got, err := translateAs(dialects[i], stream, cut, false); !bytes.Equal(got, want) || (err == nil) != (wantErr == nil) {
			t.Errorf("%q cut at %d: %v and\n%s\nwhere each record is split off: %v and\n%s", stream, cut, err, got, wantErr, want)
		}
	})
}

// translateAs translates a stream that comes in two reads. An observer sees each record split off.
func translateAs(d *hub.Dialect, stream []byte, cut int, observed bool) ([]byte, error) {
	to := &native.Dialect
	p, used := engine.NewPipeline(engine.Config{From: d, FromOptions: d.Defaults(), To: to, ToOptions: to.Defaults(), Framing: wire.SSE, MaxRecord: 1 << 10}), 0
	if observed {
		p.Observe.Record = func(wire.Record) {}
	}
	for _, end := range []int{cut, len(stream)} {
		buf := bytes.Clone(stream[used:end])
		n, err := p.Feed(buf, end == len(stream), 0)
		for i := range buf {
			buf[i] = 'x'
		}
		if used += n; err != nil {
			return p.Out.Buf, err
		}
	}
	return p.Out.Buf, nil
}

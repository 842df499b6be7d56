package a2a

import (
	"encoding/json"
	"testing"
)

// TestRewriteCard: a card of either version has the URLs of who passes it on, without bindings that would lead to the server itself and
// without a signature of what it was. What holds no card is left alone.
func TestRewriteCard(t *testing.T) {
	t.Parallel()
	f := func(answer, want string) {
		t.Helper()
		got, ok := rewriteCard([]byte("before:"), []byte(answer), func(url string) string { return "<" + url + ">" })
		if want == "" {
			if ok || string(got) != "before:" {
				t.Errorf("%s: %s", answer, got)
			}
			return
		}
		if !ok || string(got) != "before:"+want || !json.Valid(got[len("before:"):]) {
			t.Errorf("%s:\n got %s\nwant %s", answer, got, want)
		}
	}
	const one = `{"url":"http://a/\"x","protocolBinding":"JSONRPC","protocolVersion":"1.0","tenant":"t"}`
	const oneAfter = `{"url":"<http://a/\"x>","protocolBinding":"JSONRPC","protocolVersion":"1.0","tenant":"t"}`
	f(`{"name":"n","supportedInterfaces":[`+one+`,{"url":"b:1","protocolBinding":"GRPC"},7],"provider":{"url":"http://of.the/provider"},"signatures":[]}`,
		`{"name":"n","supportedInterfaces":[`+oneAfter+`],"provider":{"url":"http://of.the/provider"}}`)
	f(`{"supportedInterfaces":null}`, `{"supportedInterfaces":[]}`)
	f(`{"url":7,"skills":[]}`, `{"url":"<>","skills":[]}`)
	f(` {"id":1,"result":{"url":"u","capabilities":{}} }`, `{"id":1,"result":{"url":"<u>","capabilities":{}}}`)
	for _, none := range []string{`{}`, `[]`, `{`, ``, `{"url":"http://a/"}`, `{"result":[{"url":"u","skills":[]}]}`, `{"result":{"id":"t1"}}`} {
		f(none, "")
	}
}

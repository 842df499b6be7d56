package copilot_test

import (
	"slices"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/copilot"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestFiles: Caco takes one image beside a prompt, the SDK any files. A prompt that says nothing is not sent.
func TestFiles(t *testing.T) {
	png := &hub.FileRef{Media: []byte("image/png"), Name: []byte("a.png"), Base64: []byte("iVBORw0KGgo=")}
	pdf := &hub.FileRef{Media: []byte("application/pdf"), Base64: []byte("JVBERg==")}
	far := &hub.FileRef{Media: []byte("image/png"), URL: []byte("https://x.test/a.png")}
	f := func(options, want string, losses []string, files ...*hub.FileRef) {
		t.Helper()
		m := hub.Message{Role: hub.RoleUser}
		for _, file := range files {
			m.Parts = append(m.Parts, hub.Part{Kind: hub.PartFile, File: file})
		}
		var l hub.Losses
		got, err := copilot.Dialect.Requests.AppendRequest(nil, &hub.Request{Messages: []hub.Message{m}, Upstream: set(t, options)}, &l)
		if string(got) != want || (err != nil) != (want == "") || !slices.Equal(l.Names, losses) {
			t.Errorf("%s: %s, %v, losses %q\nwant %s", options, got, err, l.Names, want)
		}
	}
	lost := []string{"messages.file"}
	f("", `{"prompt":"","imageData":"data:image/png;base64,iVBORw0KGgo="}`, []string{"messages.file", "messages.file.name"}, pdf, png, png)
	f("", "", lost, pdf)
	f("", "", nil)
	f("files=attachments", `{"prompt":"","attachments":[{"type":"blob","data":"JVBERg==","mimeType":"application/pdf"},`+
		`{"type":"blob","data":"iVBORw0KGgo=","mimeType":"image/png","displayName":"a.png"}]}`, lost, pdf, png, far)
}

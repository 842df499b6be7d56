package acp_test

import (
	"slices"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/acp"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestNamesOfFiles: the name of a file is lost where its block has no place for it, and not where something else in the block reads the same.
func TestNamesOfFiles(t *testing.T) {
	f := func(lost bool, file hub.FileRef) {
		t.Helper()
		req := hub.Request{Thread: []byte("t"), Messages: []hub.Message{{Role: hub.RoleUser, Parts: []hub.Part{{Kind: hub.PartFile, File: &file}}}}}
		var l hub.Losses
		body, err := acp.Dialect.Requests.AppendRequest(nil, &req, &l)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(l.Names, "messages.file.name") != lost {
			t.Errorf("the losses are %q for\n%s", l.Names, body)
		}
	}
	named := func(name, media, data, url string) hub.FileRef {
		return hub.FileRef{Name: []byte(name), Media: []byte(media), Base64: []byte(data), URL: []byte(url)}
	}
	for _, name := range []string{"image", "png", "data", "AAAA", "photo.png"} {
		f(true, named(name, "image/png", "AAAA", ""))
		f(true, named(name, "", "", "data:image/png;base64,AAAA"))
		f(true, named(name, "audio/wav", "AAAA", ""))
		f(true, named(name, "application/pdf", "AAAA", "https://host/a.pdf"))
		f(false, named(name, "application/pdf", "AAAA", ""))
		f(false, named(name, "image/png", "", "https://host/a.png"))
	}
	f(false, named("", "image/png", "AAAA", ""))
	f(false, named("file:///photo.png", "image/png", "AAAA", ""))
}

package conversation_test

import (
	"reflect"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// TestFilesInBlocks: a file in a result is the same one behind its content block, with what it is called.
func TestFilesInBlocks(t *testing.T) {
	for _, f := range []hub.FileRef{
		{Media: []byte("image/png"), Name: []byte("chart.png"), Base64: []byte("QUJD")},
		{Media: []byte("audio/wav"), Name: []byte("a.wav"), Base64: []byte("QUJD")},
		{Media: []byte("application/pdf"), Name: []byte("a.pdf"), Base64: []byte("QUJD")},
		{Media: []byte("image/png"), Name: []byte("b.png"), URL: []byte("https://x/b.png")},
	} {
		w := jsonwriter.New([]byte(`{"content":`))
		w.Open('{')
		toolresult.WriteBlock(w, &f)
		w.Close('}')
		got, ok := conversation.BlockFile(append(w.Buf, '}'))
		if !ok || !reflect.DeepEqual(got, f) {
			t.Errorf("%s: got %q of %q", w.Buf, got, f)
		}
	}
	titled := `{"type":"content","content":{"type":"resource_link","uri":"https://x/q3.pdf","title":"Report"}}`
	if f, _ := conversation.BlockFile([]byte(titled)); string(f.Name) != "Report" {
		t.Errorf("a link without a name is called %q", f.Name)
	}
}

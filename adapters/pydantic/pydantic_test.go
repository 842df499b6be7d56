package pydantic_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/pydantic"
)

func TestDialect(t *testing.T) { adaptertest.Run(t, &pydantic.Dialect) }
func TestAllocs(t *testing.T)  { adaptertest.Allocs(t, &pydantic.Dialect) }
func FuzzDecode(f *testing.F)  { adaptertest.Fuzz(f, &pydantic.Dialect) }

func TestRequests(t *testing.T) { adaptertest.Requests(t, &pydantic.Dialect) }
func FuzzRequests(f *testing.F) { adaptertest.FuzzRequests(f, &pydantic.Dialect) }

// TestForms: what users say is read from every form that servers take, with the images beside it.
func TestForms(t *testing.T) {
	f := func(contentType, body, want string) {
		t.Helper()
		req := hub.Request{
			Header: func(string) string { return contentType }, Unique: []byte("u7"),
			Query: func(name string) string { return map[string]string{"session_id": "s \"1\""}[name] },
		}
		if err := pydantic.Dialect.Requests.DecodeRequest(&req, []byte(body)); err != nil {
			if want != "" {
				t.Errorf("%s: %v", body, err)
			}
			return
		}
		got := adaptertest.ShowRequest(&req)
		if want == "" || !strings.Contains(got, want) || string(req.Run) != `s \"1\"` || !req.Partial {
			t.Errorf("%s: read\n%s\nwant\n%s", body, got, want)
		}
	}
	parts := strings.ReplaceAll("--b\n"+`Content-Disposition: form-data; name="content"`+"\n\nHi \"you\"\n--b\n"+`Content-Disposition: form-data; name="images"; filename="a.png"`+
		"\nContent-Type: image/png\n\nabc\n--b--\n", "\n", "\r\n")
	f("multipart/form-data; boundary=b", parts, "text \"Hi \\\\\\\"you\\\\\\\"\"")
	f("multipart/form-data; boundary=b", parts, "image/png")
	f("multipart/form-data; boundary=b", parts[:len(parts)-9], "")
	f("multipart/form-data; boundary=c", parts, "")
	f("multipart/form-data", parts, "")
	f("application/x-www-form-urlencoded", "content=a%20b+c&node_ids=%5B%5D", `text "a b c"`)
	f("", "content=%zz", "")
	f("application/json", ` {"content":"a","node_ids":[{"node_id":"n1"}]}`, "node_ids")
	f("application/json", `{"content":`, "")
	f("", "content=+", "")
	f("", strings.Repeat("a=b&", 300)+"content=x", "")
}

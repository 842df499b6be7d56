package main

import (
	"fmt"
	"net/http"
	"strings"
)

// post is how a target is asked for a stream where GET does not do: by the request of a dialect's own client. The call
// stands in the text of the user, which every gateway passes on.
type post struct {
	dialect string // of the client
	model   string
	header  string // fields, each with its end of line
}

// bodies are the requests of clients, with %MODEL% and %TEXT% to be filled in.
var bodies = map[string]string{
	"openai-chat": `{"model":"%MODEL%","stream":true,"messages":[{"role":"user","content":"%TEXT%"}]}`,
	"anthropic":   `{"model":"%MODEL%","max_tokens":4096,"stream":true,"messages":[{"role":"user","content":"%TEXT%"}]}`,
	"aisdk":       `{"id":"chat_1","trigger":"submit-message","messages":[{"id":"m1","role":"user","parts":[{"type":"text","text":"%TEXT%"}]}]}`,
	"agui": `{"threadId":"t1","runId":"r1","state":{},"messages":[{"id":"m1","role":"user","content":"%TEXT%"}],` +
		`"tools":[],"context":[],"forwardedProps":{}}`,
}

func (p *post) request(t *target, query string) []byte {
	body := strings.NewReplacer("%MODEL%", p.model, "%TEXT%", strings.ReplaceAll(query, "&", callSeparator)).Replace(bodies[p.dialect])
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAuthorization: Bearer bench\r\n%sContent-Length: %d\r\n\r\n",
		t.path, t.addr, p.header, len(body))
	return append([]byte(head), body...)
}

// callSeparator is used where JSON writers would escape an ampersand.
const callSeparator = ","

// callText finds the call of a request: in its query, else in its body.
func callText(req *http.Request, body []byte) string {
	if req.URL.RawQuery != "" {
		return req.URL.RawQuery
	}
	_, rest, _ := strings.Cut(string(body), "?events=")
	end := strings.IndexAny(rest, `"\`)
	if end < 0 {
		return ""
	}
	return "events=" + strings.ReplaceAll(rest[:end], callSeparator, "&")
}

// dialectPaths are the paths that gateways call whatever their base URL says.
var dialectPaths = []struct{ suffix, dialect string }{
	{"/chat/completions", "openai-chat"},
	{"/v1/messages", "anthropic"},
}

// dialectOf says in which dialect a path is answered: /NAME, or what gateways call.
func dialectOf(path string) string {
	for _, p := range dialectPaths {
		if strings.HasSuffix(path, p.suffix) {
			return p.dialect
		}
	}
	return strings.TrimPrefix(path, "/")
}

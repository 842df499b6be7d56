package proxy

import (
	"regexp"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// address matches what an agent's error text may give away of the network behind the proxy: URLs, IP addresses, and
// hosts with a port. Agents put the texts of their own failed calls into their errors.
var address = regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*:(?:\\?/){2}(?:\\/|[^\s"'<>\\)\]])+` +
	`|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b` +
	`|\[[0-9a-f:]*:[0-9a-f:]+(?:%\w+)?\](?::\d{1,5})?` +
	`|\b(?:localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)+):\d{2,5}\b` +
	`|\blocalhost\b`)

// redact strikes addresses out of the error of a run. Everything else the agent says is the agent's to say.
func redact(ev *hub.Event) {
	if ev.Kind != hub.RunEnd || ev.More == nil || len(ev.More.Err) == 0 {
		return
	}
	if !address.Match(ev.More.Err) {
		return
	}
	more := *ev.More
	more.Err = address.ReplaceAll(more.Err, []byte("[address]"))
	ev.More = &more
}

package evolve

import (
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// URLs are what a browser tool says of its session; empty where it says nothing.
type URLs struct {
	Live       string // live view of the browser
	Screenshot string // the last one taken
}

// IsBrowserUse reports whether a tool with this title drives a browser. The kind of such a tool is other, as that of
// any MCP tool; only the title tells.
func IsBrowserUse(title string) bool {
	return strings.Contains(strings.ToLower(title), "browser-use")
}

// ExtractURLs finds the URLs in the result text of a browser tool: a BrowserUseResponse as JSON, perhaps cut or otherwise
// broken. The first member of each name wins, wherever it is; only what is not found so is looked up in the parsed JSON,
// the screenshot as a last resort in the last step. JSON escapes in the URLs are undone.
func ExtractURLs(text string) URLs {
	u := URLs{Live: firstMember(text, `"live_url"`), Screenshot: firstMember(text, `"screenshot_url"`)}
	if u.Live != "" && u.Screenshot != "" {
		return u
	}
	data := []byte(text)
	var json rawjson.Decoder
	if json.Valid(data) != nil {
		return u
	}
	if u.Live == "" {
		u.Live = plainMember(data, "live_url")
	}
	if u.Screenshot == "" {
		u.Screenshot = plainMember(data, "screenshot_url")
	}
	if u.Screenshot == "" {
		u.Screenshot = plainMember(lastElem(rawjson.Get(data, "steps")), "screenshot_url")
	}
	return u
}

// firstMember returns the first string that is not empty behind quoted and a colon. What it searches need not be JSON.
func firstMember(text, quoted string) string {
	for {
		_, rest, found := strings.Cut(text, quoted)
		if !found {
			return ""
		}
		text = rest
		rest, ok := strings.CutPrefix(strings.TrimLeft(rest, " \t\r\n"), ":")
		if !ok {
			continue
		}
		rest, ok = strings.CutPrefix(strings.TrimLeft(rest, " \t\r\n"), `"`)
		if val, _, closed := strings.Cut(rest, `"`); ok && closed && val != "" {
			return string(rawjson.AppendUnescaped(nil, []byte(val)))
		}
	}
}

func plainMember(v rawjson.Value, name string) string {
	return string(rawjson.AppendUnescaped(nil, rawjson.Text(v, name)))
}

func lastElem(v rawjson.Value) (last rawjson.Value) {
	for e := range rawjson.Each(v) {
		last = e
	}
	return last
}

// browserTitle is IsBrowserUse for the body of a string.
func browserTitle(body []byte) bool {
	return len(body) > 0 && IsBrowserUse(string(rawjson.AppendUnescaped(nil, body)))
}

// browserData tells the URLs of a tool, if there are any.
func (d *decoder) browserData(dst []hub.Event, id []byte, u *URLs) []hub.Event {
	if *u == (URLs{}) {
		return dst
	}
	val := append(append(d.scratch.Begin(), `{"toolCallId":"`...), id...)
	val = append(val, '"')
	for _, m := range [...]struct{ name, url string }{{`,"liveUrl":`, u.Live}, {`,"screenshotUrl":`, u.Screenshot}} {
		if m.url != "" {
			val = rawjson.AppendString(append(val, m.name...), []byte(m.url))
		}
	}
	value := d.scratch.Since(append(val, '}'))
	return d.put(dst, hub.Event{Kind: hub.Data, Name: []byte(dataBrowser), ID: id, Ref: id, Op: hub.Set, Value: value})
}

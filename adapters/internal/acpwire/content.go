package acpwire

import "github.com/sabir-proxy/sabir/adapters/internal/rawjson"

// Block is a ContentBlock. Its members are string bodies, nil where absent.
type Block struct {
	Kind, Text, Data, Mime, URI, Name []byte
	Title, Description                []byte // of a link, for people
}

// ReadBlock reads the members that any kind of block may have. What is of another type than it should be is as good as absent.
func ReadBlock(v rawjson.Value) (b Block) {
	for key, val := range rawjson.EachField(v) {
		b.Set(key, val)
	}
	return b
}

// Set takes over a member, if it is one of a block and a string.
func (b *Block) Set(key []byte, val rawjson.Value) {
	body, ok := rawjson.Str(val)
	if !ok {
		return
	}
	switch string(key) {
	case "type":
		b.Kind = body
	case "text":
		b.Text = body
	case "data":
		b.Data = body
	case "mimeType":
		b.Mime = body
	case "uri":
		b.URI = body
	case "name":
		b.Name = body
	case "title":
		b.Title = body
	case "description":
		b.Description = body
	}
}

// ContentText returns the text of one item of a tool's content; ok is false where it has none (diffs, images).
func ContentText(item rawjson.Value) (body []byte, ok bool) {
	b := ReadBlock(rawjson.Get(item, "content"))
	return b.Text, b.Text != nil && string(b.Kind) == "text"
}

// Separator joins the texts of several items; it is a line feed in a string body.
const Separator = `\n`

// JoinContent returns the joined texts of a tool's content, nil where there are none. A single text is not copied;
// several are appended to dst, and joined is then the part of dst that was appended.
func JoinContent(dst []byte, content rawjson.Value) (all, joined []byte) {
	start, n := len(dst), 0
	for item := range rawjson.Each(content) {
		text, ok := ContentText(item)
		if !ok {
			continue
		}
		switch n++; n {
		case 1:
			joined = text
			continue
		case 2:
			dst = append(dst, joined...)
		}
		dst = append(append(dst, Separator...), text...)
		joined = dst[start:len(dst):len(dst)]
	}
	return dst, joined
}

// AppendTextItem appends a text as an item of a content, whose bracket dst holds already.
func AppendTextItem(dst, text []byte) []byte {
	dst = append(Comma(dst), `{"type":"content","content":{"type":"text","text":"`...)
	return append(append(dst, text...), `"}}`...)
}

// Comma appends a comma unless a list begins there.
func Comma(dst []byte) []byte {
	if dst[len(dst)-1] == '[' {
		return dst
	}
	return append(dst, ',')
}

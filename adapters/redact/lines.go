package redact

import "bytes"

// Lines takes the secrets out of lines that a program writes, such as its log. A match may go on in the next line, as a private key does,
// so what may be the beginning of one waits for it.
type Lines struct{ passes []*linePass }

// linePass searches lines by some rules, in one of the two ways in which they can be read.
type linePass struct {
	searcher
	text text
}

// Search makes lines be searched by rules as well. count is called with each match, whether or not it would end a run.
func (l *Lines) Search(r *Rules, count func(name string)) {
	for _, f := range []form{plain, body} { // lines may be JSON, or hold some
		p := new(linePass)
		p.rules, p.note = r, func(p *pattern, _ bool) { count(p.Name) }
		p.text.reset(f, "")
		l.passes = append(l.passes, p)
	}
}

// Add takes a line and returns what can leave now, with the ends of lines. Of a line that is not whole, what may be half a match is
// dropped. The result is valid until the next call.
func (l *Lines) Add(line []byte, whole bool) []byte {
	line = append(bytes.Clone(line), '\n')
	for _, p := range l.passes {
		line = p.add(line, whole)
	}
	return line
}

// End returns what is left when the program has ended, which may be in the middle of a line.
func (l *Lines) End() (rest []byte) {
	for _, p := range l.passes {
		p.add(rest, true)
		p.cutOff(&p.text)
		rest = p.out
	}
	return rest
}

func (p *linePass) add(line []byte, whole bool) []byte {
	p.out = p.out[:0]
	text, ends := bytes.CutSuffix(line, []byte{'\n'})
	p.search(&p.text, text)
	if !whole {
		eaten, state := p.text.eaten, p.text.eatState
		p.cutOff(&p.text)
		p.text.eaten, p.text.eatState = eaten, state
	}
	if ends {
		p.search(&p.text, []byte{'\n'})
	}
	return p.out
}

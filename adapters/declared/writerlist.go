package declared

// Templates for the elements of a list that has none of its own: the members are called as Sabir calls them.
var (
	itemTemplate = mustTemplate(`{"id":$id,"content":$content,"status":$status,"priority":$priority}`,
		fieldID, fieldContent, fieldStatus, fieldPriority)
	optionTemplate = mustTemplate(`{"id":$id,"name":$name,"kind":$kind}`, fieldID, fieldName, fieldKind)
)

func mustTemplate(text string, known ...field) *template {
	t, err := parseTemplate(text, setOf(known...), "")
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return t
}

// list returns the items of a plan or the options of a question as an array.
func (w *writer) list(f field) (val []byte, isJSON, ok bool) {
	m := w.ev.More
	switch {
	case f == fieldOptions && (m == nil || len(m.Options) == 0):
		return nil, false, false
	case m == nil:
		return []byte("[]"), true, true // a plan that was cleared
	}
	w.used |= 1 << f
	inner := writer{ev: w.ev, rule: w.rule}
	dst := []byte{'['}
	if f == fieldItems {
		for i := range m.Items {
			it := &m.Items[i]
			inner.part = &part{index: i, id: it.ID, content: it.Content, status: it.Status, priority: it.Priority}
			dst = inner.element(dst, itemTemplate)
		}
	} else {
		for i := range m.Options {
			o := &m.Options[i]
			inner.part = &part{index: i, id: o.ID, name: o.Name, kind: o.Kind}
			dst = inner.element(dst, optionTemplate)
		}
	}
	w.other = w.other || inner.other
	return append(dst, ']'), true, true
}

// element appends an element of a list, with the rule's own template or this one.
func (w *writer) element(dst []byte, t *template) []byte {
	if w.rule != nil && w.rule.item != nil {
		t = w.rule.item
	}
	if w.part.index > 0 {
		dst = append(dst, ',')
	}
	dst, ok := w.append(dst, t)
	if !ok {
		return append(dst, "null"...)
	}
	return dst
}

// findPart returns a member of the element in hand.
func (w *writer) findPart(f field) (val []byte, isJSON, ok bool) {
	p := w.part
	switch f {
	case fieldID:
		val = p.id
	case fieldContent:
		val = p.content
	case fieldName:
		val = p.name
	case fieldStatus:
		val = p.status
	case fieldPriority:
		val = p.priority
	case fieldKind:
		val = p.kind
	case fieldIndex:
		return w.number(int64(p.index)), true, true
	}
	return val, false, len(val) > 0
}

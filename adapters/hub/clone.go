package hub

// Size is how many bytes the slices of ev hold; it is what a held event costs.
func (ev *Event) Size() int {
	n := 0
	ev.each(func(p *[]byte) { n += len(*p) })
	return n
}

// Clone returns a deep copy of ev that shares no memory with it.
func (ev *Event) Clone() Event {
	out := *ev
	if ev.More != nil {
		m := *ev.More
		m.Items = append([]PlanItem(nil), m.Items...)
		m.Options = append([]AskOption(nil), m.Options...)
		out.More = &m
	}
	buf := make([]byte, 0, out.Size())
	out.each(func(p *[]byte) {
		if *p == nil {
			return
		}
		n := len(buf)
		buf = append(buf, *p...)
		*p = buf[n:len(buf):len(buf)]
	})
	return out
}

// each calls f with every byte slice of ev.
func (ev *Event) each(f func(*[]byte)) {
	for _, p := range []*[]byte{&ev.ID, &ev.Ref, &ev.SubAgent, &ev.Msg, &ev.Name, &ev.Title, &ev.Text, &ev.Value} {
		f(p)
	}
	if ev.More != nil {
		ev.More.each(f)
	}
}

func (m *More) each(f func(*[]byte)) {
	for _, p := range []*[]byte{
		&m.Meta, &m.Model, &m.Sig, &m.ToolKind, &m.Locations, &m.Content, &m.Percent, &m.Schema, &m.Expires,
		&m.Usage.Cost, &m.Usage.Currency, &m.Usage.Provider,
		&m.File.Media, &m.File.Name, &m.File.URL, &m.File.FileID, &m.File.Base64, &m.Err, &m.ErrCode,
	} {
		f(p)
	}
	for i := range m.Items {
		it := &m.Items[i]
		f(&it.ID)
		f(&it.Content)
		f(&it.Status)
		f(&it.Priority)
	}
	for i := range m.Options {
		o := &m.Options[i]
		f(&o.ID)
		f(&o.Name)
		f(&o.Kind)
	}
}

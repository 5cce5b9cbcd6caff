package english

// keycap follows #, * or a digit, then the runes that enclose it in a keycap.
func (s state) keycap(c class) state {
	switch s {
	case keycapStart:
		if c == keycapBase || c == digitRune {
			return keycapBegun
		}
		return stop
	case keycapStyled:
		if c == keycap {
			return keycappedStyled
		}
		return stop
	}
	switch {
	case c == keycap && s == keycapBegun:
		return keycapped
	case c == emojiStyle && s != keycappedStyled:
		return keycapStyled
	case c >= extendRune && c != textStyle && c != emojiStyle:
		return s
	}
	return stop
}

// flag follows two regional indicators.
func (s state) flag(c class) state {
	switch {
	case c >= extendRune && s != flagStart:
		return s
	case c == regionalIndicator && s == flagStart:
		return halfFlag
	case c == regionalIndicator && s == halfFlag:
		return flag
	}
	return stop
}

// emoji follows pictographs that joiners connect, each with its modifiers and
// style, and the tags of the first.
func (s state) emoji(c class) state {
	isPicture := c == pictograph || c == pictographLetter
	switch s {
	case emojiStart, joinerFirst:
		switch {
		case isPicture:
			return picture
		case c == zwj:
			return joinerFirst
		case c == modifier && s == emojiStart:
			return modified
		}
	case picture, pictureJoiner:
		return s.picture(c, isPicture && s == pictureJoiner, picture, pictureJoiner, pictureStyled)
	case laterPicture, laterJoiner:
		return s.picture(c, isPicture && s == laterJoiner, laterPicture, laterJoiner, laterStyled)
	case modified, modifiedJoiner:
		return s.picture(c, isPicture && s == modifiedJoiner, modified, modifiedJoiner, stop)
	case pictureStyled, laterStyled:
		switch {
		case c == zwj:
			return joinerStyled
		case c == tagRune && s == pictureStyled:
			return tags
		}
	case joinerStyled, joinersStyled:
		switch {
		case isPicture:
			return laterPicture
		case c == zwj:
			return joinersStyled
		case c == modifier && s == joinerStyled:
			return modified
		}
	case tags:
		switch c {
		case tagRune:
			return tags
		case tagEnd:
			return tagged
		}
	}
	return stop
}

// picture follows a pictograph: another may come behind a joiner.
func (s state) picture(c class, another bool, alone, joiner, styled state) state {
	switch {
	case another:
		return laterPicture
	case c == zwj:
		return joiner
	case c == emojiStyle:
		return styled
	case c >= extendRune && c != textStyle:
		return alone
	}
	return stop
}

package wikitext

// functions are those whose value is their text.
var functions = words("formatnum|lc|uc|lcfirst|ucfirst")

// marks are templates for characters.
var marks = map[string]string{
	"nbsp": " ", "spaces": " ", "thinsp": " ", "zwsp": "", "shy": "", "-": "", "clear": "",
	"ndash": "–", "en dash": "–", "mdash": "—", "em dash": "—", "--": "—", "dash": "–",
	"snd": " – ", "spnd": " – ", "spaced ndash": " – ", "spaced en dash": " – ", "snds": " – ", "sndash": " – ",
	"'": "'", "'s": "'s", "' \"": `'"`, "\" '": `"'`, "=": "=", "·": " · ", "•": " • ", "bull": " • ",
	"dot": " · ", "middot": " · ", "\\": " / ", "co2": "CO2", "h2o": "H2O", "times": "×", "minus": "−", "prime": "′",
	"degree": "°", "&": "&", "ya": "", "ellipsis": "…", "...": "…", "zwj": "", "sp": " ", "pipe": " ",
}

// templates are those that write arguments of theirs: English Wikipedia's, and
// some that other large ones use in sentences.
var templates = func() map[string]writer {
	all := make(map[string]writer)
	for _, group := range []struct {
		names string
		write writer
	}{
		{`nowrap|nobr|nobreak|no wrap|j|small|smaller|big|nobold|noitalic|italic|em|strong|bold|larger|resize|smallcaps|sc|sic|not a typo|typo|
			visible anchor|vanchor|abbr|tooltip|angbr|flag|flagcountry|flagu|mono|code|kbd|var|math|mvar|
			chem2|nofold|script|unicode|vr|varserif|number|nts|sub|sup|wikt-lang|transl-text|keypress|key|nihongo2|zh-text|as written|notatypo|
			quote|blockquote|bq|cquote|quotation|poemquote|poem quote|quote box|quotebox|defn|term|zitat|citazione|citation bloc|s`, first},
		{`langx|rtl-lang|wikt|lang2|font|color|colour|fontcolor|text color|rquote`, second},
		{`lang|transl|transliteration`, last},
		{`ill|interlanguage link|link-interwiki|illm`, interlanguage},
		{`convert|cvt|conv|convert2`, convert},
		{`val`, value}, {`height`, height}, {`unité|unite`, unit},
		{`circa|c.`, circa},
		{`floruit|fl.|fl`, before("fl. ")},
		{`us$|usd|us dollar`, before("US$")}, {`£|gbp|pound sterling`, before("£")}, {`€|euro`, before("€")}, {`¥|jpy|yen`, before("¥")},
		{`inr|₹|indian rupee`, before("₹")}, {`a$|aud`, before("A$")},
		{`uss`, before("USS ")}, {`hms`, before("HMS ")}, {`ss`, before("SS ")}, {`rms`, before("RMS ")}, {`hmas`, before("HMAS ")}, {`hmcs`, before("HMCS ")},
		{`sms`, before("SMS ")}, {`mv`, before("MV ")},
		{`"`, around(`"`, `"`)}, {`lit|lit.|literal translation`, around("lit. ‘", "’")}, {`gloss`, around("‘", "’")}, {`citation`, citation},
		{`frac|fraction|sfrac|frac2`, fraction},
		{`nth`, ordinal}, {`music`, music},
		{`chem|chem formula|linktext|gaps`, joined("")}, {`nombre|num`, joined(" ")},
		{`hlist|flatlist|ubl|unbulleted list`, joined(", ")}, {`plainlist|plain list`, lines},
		{`ship|sclass|sclass2|sortname`, pairOf(" ", "")}, {`読み仮名|読み仮名 ruby不使用|ruby`, pairOf("（", "）")},
		{`nihongo|nihongo3|korean|nihongo krt`, nihongo},
		{`birth date|birth date and age|birth date and age2|bda|dob|birth-date|birth-date and age|birth date and given age|birth year and age|
			death date|death date and age|dda|death-date|death-date and age|death year and age|
			start date|start date and age|end date|film date|release date|dts|geburtsdatum`, date},
		{`date|date de naissance|date de décès`, dateDayFirst},
		{`as of|asof`, asOf},
		{`reign|r.`, reign},
	} {
		for name := range words(group.names) {
			all[name] = group.write
		}
	}
	return all
}()

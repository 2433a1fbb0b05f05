/** Words of pictures, sound, documents and screens. The notation is explained in `../read-thesaurus.ts`. */
export const MEDIA = `
generate an image, text to image, make a picture, paint > generate image create
edit a photo, retouch, remove background, cut out > edit image background remove
upscale, sharpen, higher resolution > upscale image
crop, trim, rotate, flip, resize > crop trim rotate resize image transform
alt text, what is in the picture, describe the picture > describe image analyze
ocr, read text from an image, scanned > ocr extract text image
logo, icon, emoji, symbol, pictogram > icon logo
qr code, barcode > qr code barcode
video editing, cut a clip, trim a clip > trim video clip
subtitles, captions > subtitle caption
speech to text, transcribe, dictation, what is said > transcribe speech text transcript
text to speech, read aloud, narrate, voice over, say > speech text voice audio
voice, narrator = speaker
sound effect, noise > sound effect
background music, song, tune > music generate
play, listen to, put on > play
skip, next song, next track > skip next
volume, louder, quieter > volume
what is playing, current song > current playing playback
playlist, mix > playlist
3d, three dimensional, mesh > object mesh model
scene, stage > scene
camera, viewpoint > camera view
material, texture > material texture
render, produce a picture of the scene > render
animation, animate, motion, keyframe > animation keyframe
frame, artboard > frame
component, reusable element > component
design system, styles, tokens > style variable token
prototype, click-through > prototype
fill, stroke, border, outline > fill stroke border
corner, rounded > radius corner
font size, bold, italic > font text style format
margin, padding, spacing > spacing padding layout
group, ungroup, layers > group node layer
selection, what is selected > selection get
export as png, export as svg, export a picture > export image
slide, slides, deck > slide presentation
slide background, theme > background theme slide
speaker notes, presenter notes > notes slide
transition, fade > transition
paragraph, heading, section > paragraph heading section
table in a document, insert a table > table insert
header, footer, page number > header footer
footnote, citation, reference, bibliography > citation reference
table of contents > contents
track changes, suggestions > revision suggestion
merge documents, combine pdfs, join pdfs > merge pdf
split a pdf, pages of a pdf > split pdf page
fill a form, fill in a pdf > form fill
watermark, stamp > watermark
convert to pdf, save as pdf, print to pdf > pdf convert export
markdown, convert to markdown > markdown convert
cell, cells, range > cell range
formula, calculate in a sheet > formula
formatting, number format, highlight cells > format cell style
freeze, merge cells > freeze merge cell
sort a table, order rows > sort
filter rows, only rows where > filter
new tab, add a sheet > sheet worksheet add create
chart from data, pivot table > chart pivot
csv, comma separated > csv
diagram, flowchart, uml, architecture picture > diagram
sequence diagram, class diagram, state diagram > diagram mermaid
gantt, timeline of a project > gantt
boxes and arrows, shapes and lines > shape connector diagram
arrow, line between, connector > connector line
sticky, notes on a board > sticky note
poll, vote on > poll
tab, new tab, switch tab, other tab > tab
browser window, resize window, viewport > resize window viewport
open a page, load a page, visit a site, go to a page > navigate open url page
go back, previous page > back navigate
reload, refresh the page > reload refresh
page title, current address > title url page
click a button, press a button, follow a link > click element
type text, enter text, fill a field, write in a field > type fill input text
press a key, hit enter, keyboard shortcut > press key
pick from a list, choose an option, drop-down > select option
hover, mouse over > hover
drag and drop, drag onto > drag drop
upload a file, choose a file, file chooser, attach a document > upload file
scroll down, further down > scroll
wait for, until it appears, until loaded > wait
page content, what is on the page, visible text > text content snapshot page
page source, markup, dom > html source content
run javascript, script in the page > evaluate javascript script execute
console messages, browser errors, js errors > console message log
requests the page makes, network calls > network request
cookies, local storage > cookie storage
screenshot, capture the page > screenshot
save the page, print the page > pdf save
close the browser, close the window > close
mobile app, app on a phone, installed apps > app mobile
open an app, start an app > launch app
tap, long press, double tap > tap press
home button, back button, volume button > button press
screen, what is on the screen, elements on the screen > element screen list
rotate the phone, landscape, portrait > orientation
device list, connected phones, emulators > device list
accessibility, wcag, contrast > accessibility
visual difference, looks different, layout broken > visual compare snapshot
scrape, get data from a site, harvest > scrape extract
crawl a site, all pages of a site > crawl map
links on a page, sitemap > link map sitemap
search the web, look it up online > search web
latest news, headlines > news search
encyclopedia > article search summary
papers, publications, preprints > paper search
cited by, who cites > citation
book, books, author of a book > book search
video channel > channel video
comments under, replies to a post > comment
followers, fans, audience > follower
timeline, feed, home feed > timeline feed post
dm, private message > direct message
hashtag, trend, trending topics > trend hashtag
upload a video, publish a clip > upload video
livestream, go live > live stream
group chat, server, guild > group channel
reaction, emoji, like > reaction
mention, ping someone, tag someone > mention
typing, online, presence, who is online > presence status
sticker, gif > sticker gif
quick reply, menu in a chat > menu
broadcast to followers, message all followers > broadcast
message quota, messages left > quota message
`;

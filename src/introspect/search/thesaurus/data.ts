/** Words of data, documents, pictures, the web, places and money. The notation is explained in `../read-thesaurus.ts`. */
export const DATA = `
database = db = store
database, db, data store > database db
table = collection = dataset = base
table, sheet, grid > table worksheet
record = row = document = entry = item
row, line, entry, record > record row entry
column = field
document = record
documents, docs ~ collection find
query = sql = select
sql, query, select statement > query sql execute
index = indexes = indices
index suggestions, slow queries > index performance advisor suggest
execution plan, query plan, full scan > explain plan query
migrate = migration
upsert = insert = update
dataset, scraped data, results > dataset item result output
result = output = response
namespace = partition
vector = embedding = semantic
meaning, similar, semantic, similarity, resembling, like this > semantic similar vector search
passage, chunk, snippet, paragraph > record chunk document text
rerank, best hits, most relevant > rerank search top
several, multiple, at once, in bulk, many, all of them, batch > multiple bulk batch many
bulk = batch = multiple = mass
knowledge graph, memory, facts > entity relation graph memory observation
remember, memorize, recall > memory entity observation store search
entity = node = object
relation = edge = link
graph = network = nodes
spreadsheet = excel = workbook = worksheet = sheet
spreadsheet, workbook, excel > excel workbook worksheet
cell = range
formula = function
pivot = aggregate
presentation = slide = deck = slideshow
deck, slideshow, powerpoint, slides > slide presentation deck
slide = page
pdf, word document > pdf document file
print = pdf
picture = image = photo = icon
picture, photo, image, pic, illustration, artwork > image picture photo
screenshot = screen = capture = snapshot
screenshot, screen grab, screengrab, snap, capture of the screen > screenshot capture image
video = clip = recording = movie = reel
video, clip, short video, footage > video reel recording short
record the screen, screen recording > recording screen record
audio = sound = voice = music
song, track, tune > track song music
playlist, album > playlist album
subtitle, transcript, captions > transcript caption subtitle
caption = description = title
thumbnail = preview = cover
font, typeface > font text style
colour = color = fill
color, colour, blue, red, green, yellow, hue, tint > color fill style
background = backdrop
backdrop, wallpaper > background
text, wording, headline, heading, caption > text content title
headline = title = heading
title = name = heading = subject
shape = rectangle = node = element
sticky, post-it, sticky note, post it > sticky note
whiteboard, jam, canvas > board canvas whiteboard
mockup, wireframe, design, artboard, comp > design frame file node
design = layout = figma
designer, handoff > design annotation dev
annotation = note = comment = markup
component = widget = element = instance = variant
design token, swatch, style > variable style token
kinds, types of, sorts of, categories > category type list
category = kind = type = class
layer = node = frame
align, spacing, layout > layout align
chart = graph = plot = diagram = visualization
chart, graph, plot, visualize, draw > chart generate diagram
pie, share of, proportion, percentage of whole, breakdown > pie chart treemap
bar chart, compare amounts > bar column chart
trend, over time, time series, change over months > line area chart
distribution, spread > histogram boxplot violin chart
correlation, relationship between two > scatter chart
flow, from source to target > sankey flow chart
running total, bridge chart, ups and downs > waterfall chart
hierarchy, nested, org chart, reporting lines > tree organization treemap mind
stages, conversion, drop-off > funnel chart
cause and effect, root cause > fishbone diagram
mind map, brainstorm, ideas around > mind map
skills, several dimensions, strengths > radar chart
overlap, in common, intersection > venn chart
word frequency, most used words > word cloud
progress toward, percent full > gauge liquid chart
process steps, decision > flow diagram flowchart
relationships, who knows whom, connections > network graph
on a map, by region > map district pin
timeline, project plan > gantt timeline
shelf, stencil > shape
browser = page = tab = web
browser, chrome, firefox, web browser > browser
tab = window = page
web page, webpage, page, url, link, web address, article at > url page web fetch scrape
url = link = address = uri = href
html = markup = dom = source
markup, raw html, page source, dom > html source snapshot
readable text, plain text, clean text, main text, readable, article > markdown text content extract fetch scrape
scrape = crawl = extract = fetch
scraper, crawler, spider, bot > actor scrape crawl
scrape, harvest, crawl, mine, rip > scrape crawl extract data
ready-made, off the shelf, prebuilt > actor template
on screen, currently shown > current page visible snapshot
search engine, google, web, online, internet, on the web > search web
news = article = headline
news story, press > news article
product = item = goods = listing
listing, product, goods, merchandise > product item listing
listings, search results > search product
merchant, seller, shop, vendor, retailer > shop seller store merchant
shopping, buy, for sale, shop for > shopping product price
review, rating, stars, testimonial > review rating
price = cost = rate = amount = fee
charge, fee, price, pricing, tariff, how much > price amount cost charge
profile, bio > profile
post = tweet = status
reel, short video, story > reel video
likes, views, shares, engagement > engagement post insight statistics
hashtag = tag
influencer, creator > profile channel
file picker, choose file, attach file > upload file
form = input = field
button, link > click element
dropdown, combo box, picker > select option
checkbox, tick > check
dialog, popup, pop-up, alert box > dialog
cookie = session
console, js errors > console message
network traffic, requests made > network request
accessibility = a11y
screen reader, screen-reader, contrast, wcag, disabled users, blind, colour blind > accessibility scan
device = phone = mobile = simulator = emulator
phone, tablet, iphone, android, handset > device mobile
gesture = swipe
app on the phone, home screen > app mobile launch
map = location = geography
directions, route, way to, driving, drive, how to get, turn by turn, navigation > directions route map
directions = route = navigation
driving, walking, cycling, by car, on foot > directions routing profile
distance, how far, travel time, how long does it take > distance matrix directions duration
place, spot, venue, restaurant, cafe, shop near, nearby, near me, around here > place search nearby poi category
nearby = around = near = poi
address, coordinates, latitude, longitude, where on the map > geocode address coordinates
geocode = coordinates = address
reachable, within minutes, how far can > isochrone
altitude, height above sea > elevation
weather, rain, temperature, forecast > weather forecast
flight, plane ticket, airfare > flight
hotel, lodging, place to stay > hotel accommodation
time zone, timezone, what time > time timezone
currency, exchange rate > currency exchange rate convert
stock, share price, ticker > stock quote
crypto, coin > crypto price
payment = charge = transaction = payout
money, payment, pay, paid, charge, funds > payment charge amount balance
refund, money back, give back, reimburse > refund
invoice = bill = receipt
bill, invoice, receipt > invoice bill
balance, cash, how much money > balance
subscription = plan = membership
plan, subscription, membership > plan price subscription product
coupon, discount, promo, promotion code, voucher > coupon discount promotion
dispute, chargeback > dispute chargeback
order = purchase = checkout
order, purchase, sale > order
cart, basket > cart checkout
shipping, delivery, parcel, package > shipping fulfillment delivery tracking
stock level, in stock, inventory > inventory stock
tax, vat > tax
revenue, income, earnings, sales > revenue sales report total
budget = spend = cost
expense = cost = receipt
bank account = account
tier, plans ~ price product
question, q&a > question ask answer
research, deep dive, thorough, in depth > research deep
latest news, current events > search news
paper, study, academic > paper scholar research
company facts, about a company > company
person on linkedin > profile person people
language = locale = translation
translation = localization
model = llm = ai
prompt = instruction
chat bot, assistant, ai > chat ask assistant agent
agent = bot = assistant
tool = function = capability
event = meeting = happening
date = time = day = when
when, what time, start date > date time schedule get
now, right now, currently, at the moment > current active get
current = active
upcoming, next, soon, coming up > upcoming next list
popular, trending, hot > trending popular top
top, best, most > top rank
random, any > random
rich card, carousel > flex template card message
card = flex
menu = navigation
geofence, area, boundary > polygon area
health, fitness, steps > health activity
home, smart home, lamp, light, bulb > light device switch
game, play > game
recipe, cook, meal > recipe food
medicine, drug, patient, doctor > patient medication
law, court, legal > legal case
sensor, iot, reading > sensor device
`;

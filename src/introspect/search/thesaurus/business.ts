/** Words of customers, money, marketing, people and everyday life. The notation is explained in `../read-thesaurus.ts`. */
export const BUSINESS = `
crm, customer database > contact company deal customer
pipeline stage, sales stage, funnel stage > deal stage pipeline
sales rep, salesperson, account manager > owner user
touchpoint, engagement, interaction > activity engagement note
case, support request, complaint, help request > ticket case conversation
help desk, helpdesk, customer support, support desk > ticket support
canned response, macro, saved reply > macro template reply
satisfaction, happy customers, csat, nps > satisfaction survey rating score
escalate, raise to a manager > escalate assign priority
merge duplicates, duplicate contacts, same person twice > merge duplicate
unsubscribe list, opt out, do not contact > unsubscribe suppression
bounced, undelivered, did not arrive > bounce delivery status event
open rate, click rate, how did the campaign do > report statistics campaign analytics metric
seo, search ranking, keyword ranking > keyword rank search
backlink = link
ad, ads, advert, advertisement, commercial > ad campaign
ad spend, ad budget > budget campaign spend
landing page, signup page > page form
lead form, contact form > form
coupon = voucher = promotion
gift card, store credit > gift card credit
catalogue, catalog, assortment > product catalog
sku, variant, size and colour > variant sku product
stock, in stock, out of stock, restock > inventory stock quantity level
warehouse, depot = location
supplier, vendor > vendor supplier
purchase order, procurement > purchase order
fulfil, fulfill, ship out, dispatch, send the parcel > fulfillment shipping shipment create
track a parcel, where is my package, delivery status > tracking shipment status
return, send back, rma > return refund
abandoned cart, left in the cart > checkout abandoned cart
accounting, bookkeeping, books, ledger > account journal ledger transaction
journal entry, booking > journal entry
reconcile, match payments > reconcile transaction bank
profit and loss, p&l, income statement > profit loss report statement
balance sheet, trial balance > balance sheet report
cash flow > cash flow report
expense, expenses, outlay, reimbursement > expense claim
overdue invoice, unpaid, who owes, outstanding invoices, owed > invoice unpaid overdue list
send a bill, bill a customer, invoice a client > invoice create send finalize
recurring payment, standing order, monthly charge > subscription recurring
cancel membership, stop paying, end subscription > cancel subscription
change plan, switch plan, upgrade plan, downgrade plan > update subscription plan
payment link, pay page > payment link
card, credit card, debit card, bank card > card payment method
bank transfer, wire, payout > transfer payout
wallet, balance, funds > balance wallet
customer details, billing address > customer
currency, euros, dollars, pounds > currency amount
wages, salary, salaries, pay slip, payroll run > payroll salary compensation
new hire, joiner, starter > employee onboarding create
leaver, offboard, quit > employee offboarding terminate
sick, sick day, absence > absence leave
holiday allowance, days off left > leave balance
timesheet, hours worked, clock in, clock out > time entry timesheet attendance
job ad, open role, vacancy > job posting
performance review, appraisal > review performance
expense report > expense report
contract, agreement, nda > contract document agreement
sign a document, signature request, get signed > signature envelope document send
signed yet, who has signed > envelope status signature
property, listing, house, flat, apartment, rent > property listing
booking, reservation = appointment
reservation, book a table, book a room > reservation booking create
room, meeting room, conference room > room resource space
attendee, participant, guest, invitee, who is coming > attendee participant guest
join link, video call, conference call > meeting join link
minutes, meeting notes, what was said > transcript meeting notes summary
recurring meeting, every week > recurrence event series
move a meeting, reschedule = move
cancel a meeting, call off > cancel delete event
monday, tuesday, wednesday, thursday, friday, saturday, sunday, weekend, tonight, next week ~ date event calendar schedule
morning, afternoon, evening, noon, o'clock ~ time date
birthday, anniversary ~ contact date event
trip, travel, journey, itinerary > trip itinerary travel
train, bus, public transport, tram, subway > transit
traffic, congestion, traffic jam > traffic
parking, car park > parking place
petrol, gas station, charging station > place station
postcode, zip code, postal code > postal code address
what is here, what is at, reverse lookup > reverse geocode
static map, picture of a map, map image > static map image
pedestrian, on foot, by bike, bicycle > walking cycling
opening hours, open now > place details hours
recipe, dish, ingredients, cooking > recipe meal ingredient
calories, nutrition, diet > nutrition food
workout, run, exercise, training session > workout activity
heart rate, sleep, weight > health sleep
lights, lamp, dim, brightness > light brightness device
thermostat, heating, warmer, cooler > climate temperature thermostat
blinds, shutters, garage door > cover
vacuum, robot > vacuum device
smart home, home automation > device entity state
alarm, burglar alarm, security system ~ alarm
lottery, dice, coin toss > random
joke, fun fact > joke fact
horoscope, zodiac > horoscope
legal, law, court, ruling > case law legal
patient, symptom, diagnosis, medication, drug > patient condition medication drug
trial, clinical trial, study > trial study
gene, protein, molecule, compound > gene protein compound
election, politician, parliament > member bill vote
company number, registered company > company
sanctions, background check > screening check
`;

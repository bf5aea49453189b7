"""A travel service: flights and hotels, and travellers, one of whom is signed in to book, change and cancel."""

import re
from copy import deepcopy
from random import Random
from typing import Any

from benchmarks.reference.back_end import Call, RefusedError, State

Json = dict[str, Any]
Options = list[tuple[int, str, Json]]  # calls with their weights

CITIES = {"LIS": "Lisbon", "OSL": "Oslo", "VIE": "Vienna", "ATH": "Athens", "DUB": "Dublin", "PRG": "Prague"}
AIRLINES = ["Nordavia", "Sunwing", "Bluejet", "TransContinent"]
FIRST_NAMES = ["Anna", "Bruno", "Chloe", "Dario", "Elif", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Karla"]
LAST_NAMES = ["Almeida", "Berg", "Costa", "Dvorak", "Eriksen", "Fischer", "Gallo", "Horvat", "Ivanov"]
HOTEL_WORDS = ["Aurora", "Bellevue", "Central", "Garden", "Harbour", "Majestic", "Old Town", "Riverside"]
STATUSES = ["CONFIRMED", "CANCELLED", "COMPLETED"]
BAG_PRICE = 30


def _takes(required: str, **properties: Json) -> Json:
    shape = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**shape, "required": required.split()} if required else shape


def _gives(**fields: str | Json) -> Json:
    """The schema of an answer which always has these fields."""
    shapes = {name: {"type": shape} if isinstance(shape, str) else shape for name, shape in fields.items()}
    return {"type": "object", "properties": shapes, "required": list(shapes)}


TEXT: Json = {"type": "string"}
FLIGHT_ID: Json = {"type": "string", "description": "Identifier of a flight, e.g. FL1004"}
BOOKING_ID: Json = {"type": "string", "description": "Booking reference, e.g. BK-3012"}
METHOD_ID: Json = {"type": "string", "description": "One of the payment methods in the profile"}
CABIN: Json = {"type": "string", "enum": ["ECONOMY", "BUSINESS"], "default": "ECONOMY"}
AIRPORT: Json = {"type": "string", "description": "Three-letter airport code"}
STARS: Json = {"type": "integer", "minimum": 1, "maximum": 5, "description": "At least this many stars"}
NIGHTS: Json = {"type": "integer", "minimum": 1, "maximum": 30}
PARTY: Json = {"type": "integer", "minimum": 1, "maximum": 6, "default": 1}
BAGS: Json = {"type": "integer", "minimum": 0, "maximum": 3, "default": 0, "description": "Checked bags each"}
MORE_BAGS: Json = {"type": "integer", "minimum": 1, "maximum": 3, "description": "Bags to add"}
STATUS: Json = {"type": "string", "enum": STATUSES}
PERSON = _takes("fullName", fullName=TEXT, bags=BAGS)
PEOPLE: Json = {"type": "array", "items": PERSON, "minItems": 1, "maxItems": 6}

SEATED: Json = {"type": "array", "items": _gives(fullName="string", bags="integer")}
BOOKING = _gives(bookingId="string", flightId="string", status=STATUS, passengers=SEATED, totalPrice="number")
FLIGHT = _gives(flightId="string", airline="string", date="string", status="string", cabins="object")
HOTEL = _gives(hotelId="string", name="string", stars="integer", pricePerNight="number", roomsLeft="integer")
BOOK = {"flightId": FLIGHT_ID, "cabin": CABIN, "passengers": PEOPLE, "paymentMethodId": METHOD_ID}
WISHES = {"origin": AIRPORT, "destination": AIRPORT, "cabin": CABIN, "maxPrice": {"type": "number"}}
ROOM = {"bookingId": BOOKING_ID, "hotelId": TEXT, "nights": NIGHTS}
FLIGHTS = _gives(flights={"type": "array", "items": FLIGHT}, total="integer")

SCHEMAS: dict[str, tuple[Json, Json | None]] = {
    "signIn": (_takes("email password", email=TEXT, password=TEXT), _gives(travellerId="string")),
    "getProfile": (_takes(""), _gives(fullName="string", email="string", paymentMethods="object")),
    "searchFlights": (_takes("origin destination", **WISHES), FLIGHTS),
    "quoteFlight": (_takes("flightId", flightId=FLIGHT_ID, cabin=CABIN, passengers=PARTY, bags=BAGS), None),
    "bookFlight": (_takes("flightId passengers paymentMethodId", **BOOK), _gives(booking=BOOKING)),
    "getBooking": (_takes("bookingId", bookingId=BOOKING_ID), BOOKING),
    "myBookings": (_takes("", status=STATUS), {"type": "array", "items": BOOKING}),
    "changeFlight": (_takes("bookingId newFlightId", bookingId=BOOKING_ID, newFlightId=FLIGHT_ID), None),
    "addBags": (_takes("bookingId fullName bags", bookingId=BOOKING_ID, fullName=TEXT, bags=MORE_BAGS), None),
    "cancelBooking": (_takes("bookingId", bookingId=BOOKING_ID), _gives(status="string", refund="number")),
    "deleteBooking": (_takes("bookingId", bookingId=BOOKING_ID), None),
    "searchHotels": (_takes("city", city=TEXT, minStars=STARS), {"type": "array", "items": HOTEL}),
    "addHotel": (_takes("bookingId hotelId nights", **ROOM), None),
    "sendItinerary": (_takes("bookingId", bookingId=BOOKING_ID, email=TEXT), TEXT),
}
"""What each tool takes and, where it is declared, answers. Its description is the docstring of its method."""


class Travel:
    name = "travel"

    def __init__(self) -> None:
        self.tools: list[Json] = []
        for tool, (arguments, answer) in SCHEMAS.items():
            description = " ".join(str(getattr(self, _snake(tool)).__doc__).split())
            declared = {"name": tool, "description": description, "input_schema": arguments}
            self.tools.append(declared if answer is None else {**declared, "output_schema": answer})

    def begin(self, random: Random) -> State:
        state: State = {"flight": {}, "hotel": {}, "traveller": {}, "booking": {}, "session": {}}
        codes = random.sample(sorted(CITIES), 4)
        for number in range(1001, 1049):
            self._begin_flight(state, random, f"FL{number}", random.sample(codes, 2))
        for number in range(1, 21):
            hotel: Json = {"hotelId": f"H{number:02d}", "city": CITIES[random.choice(codes)]}
            hotel |= {"name": f"Hotel {random.choice(HOTEL_WORDS)}", "stars": random.randint(2, 5)}
            hotel |= {"pricePerNight": random.randint(55, 320), "roomsLeft": random.randint(0, 12)}
            state["hotel"][hotel["hotelId"]] = hotel
        names = random.sample([f"{first} {last}" for first in FIRST_NAMES for last in LAST_NAMES], 15)
        for number, name in enumerate(names, 501):
            card = {"type": "CARD", "last4": str(random.randint(1000, 9999))}
            credit = {"type": "TRAVEL_CREDIT", "balance": random.randint(2000, 9000)}
            email = name.lower().replace(" ", ".") + "@mail.test"
            traveller: Json = {"travellerId": f"T{number}", "fullName": name, "email": email}
            traveller["password"] = f"{random.choice(FIRST_NAMES).lower()}{random.randint(100, 999)}"
            traveller["loyaltyTier"] = random.choice(["NONE", "SILVER", "GOLD"])
            traveller["paymentMethods"] = {f"card-{number}": card, f"credit-{number}": credit}
            state["traveller"][f"T{number}"] = traveller
        first = random.randint(3000, 5000)
        for number in range(first, first + 60):
            self._begin_booking(state, random, f"BK-{number}", random.sample(names, random.randint(1, 3)))
        state["session"]["current"] = {"travellerId": random.choice([None, f"T{random.randint(501, 515)}"])}
        return state

    def _begin_flight(self, state: State, random: Random, number: str, route: list[str]) -> None:
        airline, fare = random.choice(AIRLINES), random.randint(40, 260)
        flight: Json = {"flightId": number, "airline": airline, "origin": route[0], "destination": route[1]}
        flight["flightNumber"] = f"{airline[:2].upper()}{random.randint(100, 999)}"
        flight["date"] = f"2025-06-{random.randint(1, 30):02d}"
        flight["departureTime"] = f"{random.randint(6, 21):02d}:{random.choice(['00', '15', '30', '45'])}"
        flight["status"] = random.choices(["SCHEDULED", "DELAYED", "CANCELLED"], [8, 2, 1])[0]
        economy = {"price": fare, "seatsLeft": random.randint(4, 60)}
        business = {"price": fare * random.randint(2, 4), "seatsLeft": random.randint(0, 12)}
        state["flight"][number] = {**flight, "cabins": {"ECONOMY": economy, "BUSINESS": business}}

    def _begin_booking(self, state: State, random: Random, number: str, names: list[str]) -> None:
        owner, flight = random.choice(list(state["traveller"])), random.choice(list(state["flight"].values()))
        hotels = [each for each in state["hotel"].values() if each["city"] == CITIES[flight["destination"]]]
        booking: Json = {"bookingId": number, "travellerId": owner, "flightId": flight["flightId"]}
        booking |= {"cabin": random.choice(CABIN["enum"]), "status": random.choices(STATUSES, [7, 2, 1])[0]}
        booking["passengers"] = [{"fullName": name, "bags": random.randint(0, 2)} for name in names]
        booking["paymentMethodId"] = f"{random.choice(['card', 'credit'])}-{owner[1:]}"
        hotel = random.choice([None, *hotels])
        booking["hotel"] = self._hotel_part(hotel, random.randint(1, 6)) if hotel else None
        state["booking"][number] = booking | {"totalPrice": self._price(flight, booking)}

    def call(self, state: State, tool: str, arguments: Json) -> Any:
        _refuse_if(tool not in SCHEMAS, f"There is no tool {tool}.")
        for name in SCHEMAS[tool][0].get("required", []):
            _refuse_if(name not in arguments, f"{name} is required.")
        _refuse_if(arguments.get("cabin") not in [None, *CABIN["enum"]], "There is no such cabin.")
        given = {_snake(name): value for name, value in arguments.items()}
        return deepcopy(getattr(self, _snake(tool))(state, **given))

    def sign_in(self, state: State, email: str, password: str) -> Json:
        """Sign a traveller in with email and password, in the place of whoever is signed in."""
        people, login = state["traveller"].items(), (email, password)
        found = [number for number, each in people if (each["email"], each["password"]) == login]
        _refuse_if(not found, "Email or password is wrong.")
        state["session"]["current"]["travellerId"] = found[0]
        return {"travellerId": found[0]}

    def get_profile(self, state: State) -> Json:
        """The signed-in traveller: contact data, loyalty tier and payment methods."""
        return {name: value for name, value in self._me(state).items() if name != "password"}

    def search_flights(self, state: State, origin: str, destination: str, **wishes: Any) -> Json:
        """Flights on a route that are not cancelled and have seats in the cabin, cheapest first. No sign-in needed."""
        _refuse_if(origin not in CITIES or destination not in CITIES, "Unknown airport code.")
        cabin, highest = wishes.get("cabin", "ECONOMY"), wishes.get("max_price", float("inf"))
        free = self._free_flights(state, cabin, 1)
        free = [each for each in free if self._route(each) == (origin, destination)]
        found = [each for each in free if each["cabins"][cabin]["price"] <= highest]
        found.sort(key=lambda flight: (flight["cabins"][cabin]["price"], flight["flightId"]))
        return {"flights": found, "total": len(found)}

    def quote_flight(self, state: State, flight_id: str, **party: Any) -> Json:
        """What a flight would cost a party: the fare for each passenger plus 30 EUR for each bag they all bring."""
        count, bags = party.get("passengers", 1), party.get("bags", 0)
        _refuse_if(not 1 <= count <= 6 or not 0 <= bags <= 3, "At most six passengers with three bags each.")
        cabins = self._find(state, "flight", flight_id)["cabins"]
        fare = cabins[party.get("cabin", "ECONOMY")]["price"] * count
        return {"fare": fare, "bagFee": bags * count * BAG_PRICE, "total": fare + bags * count * BAG_PRICE}

    def book_flight(self, state: State, flight_id: str, passengers: list[Json], **more: Any) -> Json:
        """Book seats for one to six passengers and charge a payment method of the signed-in traveller: the fare, and
        30 EUR per bag. The booking is CONFIRMED, without a hotel, and gets the next booking number.
        """
        me, flight = self._me(state), self._find(state, "flight", flight_id)
        people = [{"fullName": each["fullName"], "bags": each.get("bags", 0)} for each in passengers]
        laden = any(not 0 <= each["bags"] <= 3 for each in people)
        _refuse_if(laden or not 1 <= len(people) <= 6, "At most six passengers with three bags each.")
        number = f"BK-{max(int(each[3:]) for each in state['booking']) + 1}"
        booking: Json = {"bookingId": number, "travellerId": me["travellerId"], "flightId": flight_id}
        booking |= {"cabin": more.get("cabin", "ECONOMY"), "passengers": people}
        booking |= {"hotel": None, "status": "CONFIRMED"}
        booking |= {"paymentMethodId": more["payment_method_id"], "totalPrice": self._price(flight, booking)}
        self._check_seats(flight, booking)
        self._charge(state, booking, booking["totalPrice"])
        flight["cabins"][booking["cabin"]]["seatsLeft"] -= len(people)
        state["booking"][number] = booking
        return {"booking": booking}

    def get_booking(self, state: State, booking_id: str) -> Json:
        """Retrieve one of the signed-in traveller's bookings."""
        return self._mine(state, booking_id)

    def my_bookings(self, state: State, status: str | None = None) -> list[Json]:
        """The signed-in traveller's bookings by booking number, optionally only those with one status."""
        me = self._me(state)["travellerId"]
        _refuse_if(status not in [None, *STATUSES], f"Status must be one of {', '.join(STATUSES)}.")
        mine = [booking for _, booking in sorted(state["booking"].items()) if booking["travellerId"] == me]
        return [booking for booking in mine if status in (None, booking["status"])]

    def change_flight(self, state: State, booking_id: str, new_flight_id: str) -> Json:
        """Move a CONFIRMED booking to another flight on its route; the difference in price is charged or returned."""
        booking, new = self._mine(state, booking_id, "CONFIRMED"), self._find(state, "flight", new_flight_id)
        old, cabin = state["flight"][booking["flightId"]], booking["cabin"]
        _refuse_if(old is new or self._route(old) != self._route(new), "Not another flight on this route.")
        self._check_seats(new, booking)
        self._charge(state, booking, self._price(new, booking) - booking["totalPrice"])
        old["cabins"][cabin]["seatsLeft"] += len(booking["passengers"])
        new["cabins"][cabin]["seatsLeft"] -= len(booking["passengers"])
        booking |= {"flightId": new_flight_id, "totalPrice": self._price(new, booking)}
        return booking

    def add_bags(self, state: State, booking_id: str, full_name: str, bags: int) -> Json:
        """Add bags for one passenger of a CONFIRMED booking, to at most three, for 30 EUR each."""
        booking = self._mine(state, booking_id, "CONFIRMED")
        named = [each for each in booking["passengers"] if each["fullName"] == full_name]
        _refuse_if(not named or not 0 < bags <= 3 - named[0]["bags"], "No such passenger, or too many bags.")
        self._charge(state, booking, bags * BAG_PRICE)
        named[0]["bags"] += bags
        booking["totalPrice"] += bags * BAG_PRICE
        return {"passenger": named[0], "totalPrice": booking["totalPrice"]}

    def cancel_booking(self, state: State, booking_id: str) -> Json:
        """Cancel a CONFIRMED booking, freeing its seats and room. Refunds business in full, economy by half."""
        booking = self._mine(state, booking_id, "CONFIRMED")
        refund = booking["totalPrice"] / (1 if booking["cabin"] == "BUSINESS" else 2)
        self._charge(state, booking, -refund)
        cabins = state["flight"][booking["flightId"]]["cabins"]
        cabins[booking["cabin"]]["seatsLeft"] += len(booking["passengers"])
        if booking["hotel"]:
            state["hotel"][booking["hotel"]["hotelId"]]["roomsLeft"] += 1
        booking["status"] = "CANCELLED"
        return {"status": "CANCELLED", "refund": refund}

    def delete_booking(self, state: State, booking_id: str) -> Json:
        """Delete a CANCELLED booking for good."""
        self._mine(state, booking_id, "CANCELLED")
        del state["booking"][booking_id]
        return {"deleted": True}

    def search_hotels(self, state: State, city: str, min_stars: int = 1) -> list[Json]:
        """Hotels in a city with rooms left, cheapest first. No sign-in needed."""
        _refuse_if(city not in CITIES.values(), f"There are no hotels in {city}.")
        hotels = sorted(state["hotel"].values(), key=lambda hotel: (hotel["pricePerNight"], hotel["hotelId"]))
        return [h for h in hotels if h["city"] == city and h["roomsLeft"] and h["stars"] >= min_stars]

    def add_hotel(self, state: State, booking_id: str, hotel_id: str, nights: int) -> Json:
        """Add a room in the city the flight goes to, and its price, to a CONFIRMED booking that has no hotel yet."""
        booking, hotel = self._mine(state, booking_id, "CONFIRMED"), self._find(state, "hotel", hotel_id)
        city = CITIES[state["flight"][booking["flightId"]]["destination"]]
        _refuse_if(booking["hotel"] or hotel["city"] != city, "It has a hotel or flies to another city.")
        _refuse_if(hotel["roomsLeft"] < 1 or not 1 <= nights <= 30, "No room for so many nights.")
        stay = self._hotel_part(hotel, nights)
        self._charge(state, booking, stay["price"])
        hotel["roomsLeft"] -= 1
        booking |= {"hotel": stay, "totalPrice": booking["totalPrice"] + stay["price"]}
        return booking

    def send_itinerary(self, state: State, booking_id: str, email: str | None = None) -> str:
        """Email the itinerary of a CONFIRMED booking, to the traveller's own address unless another is given."""
        self._mine(state, booking_id, "CONFIRMED")
        return f"Itinerary of {booking_id} sent to {email or self._me(state)['email']}."

    def _find(self, state: State, kind: str, identifier: str) -> Json:
        _refuse_if(identifier not in state[kind], f"No {kind} {identifier}.")
        return state[kind][identifier]

    def _me(self, state: State) -> Json:
        number = state["session"]["current"]["travellerId"]
        _refuse_if(number is None, "Please sign in first.")
        return state["traveller"][number]

    def _mine(self, state: State, booking_id: str, status: str | None = None) -> Json:
        """A booking of the signed-in traveller, in this status if one is needed."""
        me, booking = self._me(state), self._find(state, "booking", booking_id)
        _refuse_if(booking["travellerId"] != me["travellerId"], "This booking belongs to another traveller.")
        _refuse_if(status not in (None, booking["status"]), f"The booking is {booking['status']}.")
        return booking

    def _price(self, flight: Json, booking: Json) -> int:
        fare, people = flight["cabins"][booking["cabin"]]["price"], booking["passengers"]
        hotel = booking["hotel"]["price"] if booking["hotel"] else 0
        return int(fare * len(people) + BAG_PRICE * sum(each["bags"] for each in people) + hotel)

    def _route(self, flight: Json) -> tuple[str, str]:
        return flight["origin"], flight["destination"]

    def _hotel_part(self, hotel: Json, nights: int) -> Json:
        return {"hotelId": hotel["hotelId"], "nights": nights, "price": hotel["pricePerNight"] * nights}

    def _check_seats(self, flight: Json, booking: Json) -> None:
        _refuse_if(flight["status"] == "CANCELLED", "This flight is cancelled.")
        left = flight["cabins"][booking["cabin"]]["seatsLeft"]
        _refuse_if(left < len(booking["passengers"]), f"Only {left} seats are left in {booking['cabin']}.")

    def _charge(self, state: State, booking: Json, amount: float) -> None:
        """Charge, or with a negative amount pay back; a card takes any amount, travel credit only what it holds."""
        method = self._me(state)["paymentMethods"].get(booking["paymentMethodId"])
        _refuse_if(method is None, "The traveller has no such payment method.")
        if method["type"] == "TRAVEL_CREDIT":
            _refuse_if(amount > method["balance"], "Not enough travel credit.")
            method["balance"] -= amount

    def next_call(self, state: State, random: Random) -> Call:
        options = random.choices([self._reads, self._writes, self._mistakes], [50, 30, 20])[0](state, random)
        _, tool, arguments = random.choices(options, [weight for weight, _, _ in options])[0]
        return Call(tool, arguments)

    def _reads(self, state: State, random: Random) -> Options:
        flight = random.choice(list(state["flight"].values()))
        wishes = _some(random, {"cabin": random.choice(CABIN["enum"]), "maxPrice": random.randint(100, 500)})
        party = _some(random, {"passengers": random.randint(1, 6), "bags": random.randint(0, 3)})
        stars = _some(random, {"minStars": random.randint(1, 4)})
        origin, destination = self._route(flight)
        options: Options = [
            (4, "searchFlights", {"origin": origin, "destination": destination, **wishes}),
            (3, "quoteFlight", {"flightId": flight["flightId"], **party}),
            (3, "searchHotels", {"city": CITIES[destination], **stars}),
        ]
        if state["session"]["current"]["travellerId"] is None:
            return options
        options += [(1, "getBooking", {"bookingId": each["bookingId"]}) for each in self.my_bookings(state)]
        status = _some(random, {"status": random.choice(STATUSES)})
        return [*options, (2, "getProfile", {}), (3, "myBookings", status)]

    def _writes(self, state: State, random: Random) -> Options:
        someone = random.choice(list(state["traveller"].values()))
        sign_in: Json = {"email": someone["email"], "password": someone["password"]}
        if state["session"]["current"]["travellerId"] is None:
            return [(1, "signIn", sign_in)]
        cabin = _some(random, {"cabin": random.choice(CABIN["enum"])})
        free = self._free_flights(state, cabin.get("cabin", "ECONOMY"), 3)
        names = [f"{name} Novak" for name in random.sample(FIRST_NAMES, random.randint(1, 3))]
        people = [{"fullName": name, **_some(random, {"bags": random.randint(0, 3)})} for name in names]
        method = random.choice(list(self._me(state)["paymentMethods"]))
        book = {"flightId": random.choice(free)["flightId"], "passengers": people, "paymentMethodId": method}
        options: Options = [(4, "bookFlight", book | cabin), (2, "signIn", sign_in)]
        mine = self.my_bookings(state)
        cancelled = [booking["bookingId"] for booking in mine if booking["status"] == "CANCELLED"]
        options += [(2, "deleteBooking", {"bookingId": number}) for number in cancelled]
        confirmed = [booking for booking in mine if booking["status"] == "CONFIRMED"]
        return options + (self._trip_writes(state, random, random.choice(confirmed)) if confirmed else [])

    def _trip_writes(self, state: State, random: Random, booking: Json) -> Options:
        number, old = {"bookingId": booking["bookingId"]}, state["flight"][booking["flightId"]]
        person, nights = random.choice(booking["passengers"]), random.randint(1, 5)
        options: Options = [(3, "cancelBooking", number)]
        options.append((3, "sendItinerary", number | _some(random, {"email": "family@post.test"})))
        options.append((4, "addBags", {**number, "fullName": person["fullName"], "bags": 1}))
        for flight in self._free_flights(state, booking["cabin"], 3):
            if flight is not old and self._route(flight) == self._route(old):
                options.append((2, "changeFlight", {**number, "newFlightId": flight["flightId"]}))
        for hotel in [] if booking["hotel"] else self.search_hotels(state, CITIES[old["destination"]]):
            options.append((4, "addHotel", {**number, "hotelId": hotel["hotelId"], "nights": nights}))
        return options

    def _free_flights(self, state: State, cabin: str, seats: int) -> list[Json]:
        flights = [each for each in state["flight"].values() if each["status"] != "CANCELLED"]
        return [each for each in flights if each["cabins"][cabin]["seatsLeft"] >= seats]

    def _mistakes(self, state: State, random: Random) -> Options:
        me, bookings = state["session"]["current"]["travellerId"], list(state["booking"].values())
        foreign = [each["bookingId"] for each in bookings if each["travellerId"] != me]
        own = {each["bookingId"]: each["status"] for each in bookings if each["travellerId"] == me}
        closed = [number for number, status in own.items() if status != "CONFIRMED"] or foreign
        live = [number for number, status in own.items() if status != "CANCELLED"] or foreign
        missing, other = f"BK-{random.randint(7000, 9999)}", random.choice(foreign)
        wrong = {"bookingId": random.choice([random.choice(closed), random.choice(closed), other, missing])}
        someone = random.choice(list(state["traveller"].values()))
        flight_id, person = random.choice(list(state["flight"])), {"fullName": someone["fullName"]}
        book = {"flightId": flight_id, "passengers": [person], "paymentMethodId": "card-100"}
        return [
            (3, "signIn", {"email": someone["email"], "password": f"guess{random.randint(10, 99)}"}),
            (3, "getBooking", {"bookingId": random.choice([missing, other])}),
            (3, "cancelBooking", wrong),
            (2, "deleteBooking", {"bookingId": random.choice([*live, other])}),
            (3, "changeFlight", {**wrong, "newFlightId": flight_id}),
            (2, "addBags", {**wrong, **person, "bags": 1}),
            (2, "addHotel", {**wrong, "hotelId": random.choice(list(state["hotel"])), "nights": 2}),
            (2, "sendItinerary", wrong),
            (2, "bookFlight", {**book, **_some(random, {"cabin": "FIRST"})}),
            (2, "quoteFlight", {"flightId": random.choice(["FL2000", flight_id]), "passengers": 9}),
            (1, "searchFlights", {"origin": "LIS", "destination": random.choice(["XXX", "JFK"])}),
            (1, "searchHotels", {"city": random.choice(["Atlantis", "Gotham"])}),
            (1, "myBookings", {"status": "PENDING"}),
        ]


def _snake(name: str) -> str:
    return re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name)


def _refuse_if(wrong: Any, message: str) -> None:
    if wrong:
        raise RefusedError(message)


def _some(random: Random, optional: Json) -> Json:
    return {name: value for name, value in optional.items() if random.random() < 0.5}

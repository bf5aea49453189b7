"""Which reference worlds serve what: beside some the engine was written, on others it is calibrated and judged.

They are written by people who have not seen the engine. Where somebody has looked at what the engine gets wrong, and
made a rule of it, the engine is better than it will be anywhere else: so those worlds neither calibrate nor judge.
"""

from benchmarks.reference.back_end import BackEnd
from benchmarks.reference.worlds.bank import Bank
from benchmarks.reference.worlds.billing import Billing
from benchmarks.reference.worlds.calendars import Calendars
from benchmarks.reference.worlds.charity import Charity
from benchmarks.reference.worlds.claims import Claims
from benchmarks.reference.worlds.clinic import Clinic
from benchmarks.reference.worlds.courier import Courier
from benchmarks.reference.worlds.coworking import Coworking
from benchmarks.reference.worlds.crm import Crm
from benchmarks.reference.worlds.dental import Dental
from benchmarks.reference.worlds.events import Events
from benchmarks.reference.worlds.facility import Facility
from benchmarks.reference.worlds.files import Files
from benchmarks.reference.worlds.food import Food
from benchmarks.reference.worlds.freight import Freight
from benchmarks.reference.worlds.garage import Garage
from benchmarks.reference.worlds.gym import Gym
from benchmarks.reference.worlds.hotel import Hotel
from benchmarks.reference.worlds.hr import Hr
from benchmarks.reference.worlds.lettings import Lettings
from benchmarks.reference.worlds.library import Library
from benchmarks.reference.worlds.loyalty import Loyalty
from benchmarks.reference.worlds.messages import Messages
from benchmarks.reference.worlds.music import Music
from benchmarks.reference.worlds.pharmacy import Pharmacy
from benchmarks.reference.worlds.recruiting import Recruiting
from benchmarks.reference.worlds.rental import Rental
from benchmarks.reference.worlds.school import School
from benchmarks.reference.worlds.shop import Shop
from benchmarks.reference.worlds.smarthome import SmartHome
from benchmarks.reference.worlds.tickets import Tickets
from benchmarks.reference.worlds.tracker import Tracker
from benchmarks.reference.worlds.trading import Trading
from benchmarks.reference.worlds.travel import Travel
from benchmarks.reference.worlds.utility import Utility
from benchmarks.reference.worlds.vehicle import Vehicle
from benchmarks.reference.worlds.vet import Vet
from benchmarks.reference.worlds.warehouse import Warehouse

BESIDE: tuple[BackEnd, ...] = (
    Bank(),
    Billing(),
    Claims(),
    Clinic(),
    Courier(),
    Coworking(),
    Crm(),
    Events(),
    Facility(),
    Files(),
    Food(),
    Freight(),
    Hotel(),
    Hr(),
    Lettings(),
    Library(),
    Messages(),
    Recruiting(),
    Rental(),
    School(),
    SmartHome(),
    Tickets(),
    Trading(),
    Travel(),
    Vehicle(),
    Warehouse(),
)
CALIBRATION: tuple[BackEnd, ...] = (
    Calendars(),
    Charity(),
    Dental(),
    Garage(),
    Gym(),
    Loyalty(),
    Music(),
    Pharmacy(),
    Shop(),
    Tracker(),
    Utility(),
    Vet(),
)
"""Nobody has looked at what the engine gets wrong in these; only how often each kind of answer is right is counted.
Each is judged by a calibration on the eleven others."""

"""Which reference worlds serve what: the engine was written and calibrated beside some, and is judged on others."""

from benchmarks.reference.back_end import BackEnd
from benchmarks.reference.worlds.bank import Bank
from benchmarks.reference.worlds.billing import Billing
from benchmarks.reference.worlds.claims import Claims
from benchmarks.reference.worlds.clinic import Clinic
from benchmarks.reference.worlds.courier import Courier
from benchmarks.reference.worlds.crm import Crm
from benchmarks.reference.worlds.events import Events
from benchmarks.reference.worlds.files import Files
from benchmarks.reference.worlds.food import Food
from benchmarks.reference.worlds.garage import Garage
from benchmarks.reference.worlds.gym import Gym
from benchmarks.reference.worlds.hotel import Hotel
from benchmarks.reference.worlds.hr import Hr
from benchmarks.reference.worlds.lettings import Lettings
from benchmarks.reference.worlds.library import Library
from benchmarks.reference.worlds.messages import Messages
from benchmarks.reference.worlds.pharmacy import Pharmacy
from benchmarks.reference.worlds.recruiting import Recruiting
from benchmarks.reference.worlds.rental import Rental
from benchmarks.reference.worlds.school import School
from benchmarks.reference.worlds.smarthome import SmartHome
from benchmarks.reference.worlds.tickets import Tickets
from benchmarks.reference.worlds.trading import Trading
from benchmarks.reference.worlds.travel import Travel
from benchmarks.reference.worlds.vehicle import Vehicle
from benchmarks.reference.worlds.warehouse import Warehouse

CALIBRATION: tuple[BackEnd, ...] = (
    Bank(),
    Clinic(),
    Crm(),
    Events(),
    Files(),
    Food(),
    Hotel(),
    Hr(),
    Library(),
    Messages(),
    Rental(),
    School(),
    SmartHome(),
    Tickets(),
    Trading(),
    Travel(),
    Vehicle(),
    Warehouse(),
)
UNSEEN: tuple[BackEnd, ...] = (
    Billing(),
    Claims(),
    Courier(),
    Garage(),
    Gym(),
    Lettings(),
    Pharmacy(),
    Recruiting(),
)
"""Written by people who had not seen the engine, after its rules; nobody looks at what it gets wrong in these."""

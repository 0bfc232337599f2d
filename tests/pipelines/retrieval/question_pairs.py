"""Pairs of questions, a line each: some that differ in what they ask, though their words are nearly the same, and some
that ask the same in other words."""

from __future__ import annotations

_DIFFERENT = """
# numbers
top 5 customers by revenue | top 10 customers by revenue
orders with 5 items over 10 euros | orders with 10 items over 5 euros
products that cost 1.5 | products that cost 15
products under 5kg | products under 6kg
invoices over 1,000 | invoices over 10,000
invoices over 2k | invoices over 2
employees older than thirty | employees older than forty
the second largest city | the third largest city
half of the orders | a quarter of the orders
customers who ordered twice | customers who ordered three times
products that cost -5 | products that cost 5
orders on 2024-01-15 | orders on 2024-01-16
flights at 10:30 | flights at 10:45
version 2.1 of the report | version 2.2 of the report
top 20 products | top twenty-five products
sales in 2023 | sales in 2024
more than one order | more than two orders
customers with a single order | customers with a double order
room 12a | room 12b
class A students | class B students
# units
parcels over 5 kg | parcels over 5 g
parcels over 5kg | parcels over 5g
trips longer than 5 miles | trips longer than 5 kilometres
sales over $100 | sales over €100
discount of 5% | discount of 5
deliveries within 3 days | deliveries within 3 weeks
calls longer than 2 minutes | calls longer than 2 hours
revenue in euros | revenue in dollars
temperature in celsius | temperature in fahrenheit
storage in gb | storage in mb
total in thousands | total in millions
# comparators
price above 10 | price below 10
price at least 10 | price at most 10
price more than 10 | price at least 10
price less than 10 | price at most 10
orders over 100 euros | orders of 100 euros
price exactly 10 | price about 10
products cheaper than 10 | products dearer than 10
employees older than Smith | employees younger than Smith
customers with more orders than returns | customers with more returns than orders
stock greater than or equal to 5 | stock greater than 5
stock not less than 5 | stock less than 5
up to 3 reviews | over 3 reviews
salary between 1000 and 2000 | salary above 1000 and below 2000
price = 10 | price > 10
price >= 10 | price > 10
price <= 10 | price < 10
price != 10 | price = 10
# places and values
orders from Berlin | orders from Munich
customers in germany | customers in france
sales in the north | sales in the south
flights from Lyon to Hamburg | flights from Hamburg to Lyon
orders shipped to Spain | orders shipped from Spain
stores in the capital | stores outside the capital
customers named Anna | customers named Hanna
orders with status open | orders with status closed
orders with status "open" | orders with status "opened"
payments by card | payments by cash
red shirts | blue shirts
male patients | female patients
orders of customer Ernst | orders of customer Ernest
products of brand Nova | products of brand Novo
songs by Queen | songs by Kings
employees in sales | employees in support
the street of the customers | the city of the customers
songs in the key of C | songs in the key of D
the refund | the refunds that were refused
# time
orders last month | orders this month
orders last month | orders next month
orders last month | orders last year
orders in May | orders in June
orders on monday | orders on friday
sales today | sales yesterday
orders before 2024 | orders after 2024
orders since March | orders until March
orders in the first quarter | orders in the last quarter
orders in the past 3 months | orders in the next 3 months
customers who signed up 2 days ago | customers who signed up within 2 days
employees who are managers | employees who were managers
sales in the morning | sales in the evening
summer sales | winter sales
weekday sales | weekend sales
orders placed at noon | orders placed at midnight
orders during the campaign | orders before the campaign
the latest order | the earliest order
sales year to date | sales month to date
fiscal year sales | calendar year sales
when was the order shipped | where was the order shipped
# negation
orders shipped late | orders not shipped late
customers with orders | customers without orders
orders that can be returned | orders that can't be returned
paid orders | unpaid orders
active customers | inactive customers
complete orders | incomplete orders
valid cards | invalid cards
customers who never ordered | customers who always ordered
customers who ordered nothing | customers who ordered something
all products except books | all products including books
neither paid nor shipped | not paid but shipped
orders excluding tax | orders including tax
products that are no longer sold | products that are sold
customers who have ordered | customers who have yet to order
customers who failed to pay | customers who managed to pay
products lacking a price | products having a price
none of the customers | some of the customers
not all orders | all orders
# per and by
revenue by customer | revenue by product
customers per product | products per customer
list the customers of each product | list the products of each customer
revenue per month | revenue per day
revenue | revenue by month
average price per category | average price
average orders per customer | orders per average customer
the maximum of the average price per category | the average of the maximum price per category
employees by department | departments by employee
revenue by month and region | revenue by month
# top and bottom
top 5 products | bottom 5 products
best customers | worst customers
the most expensive product | the least expensive product
highest salary | lowest salary
the longest trip | the shortest trip
the oldest employee | the youngest employee
the biggest order | the smallest order
products sorted by price ascending | products sorted by price descending
customers with the most orders | customers with most of the orders
the cheapest product | the dearest product
the fastest delivery | the slowest delivery
the newest customer | the oldest customer
# and, or
customers in Berlin and Paris | customers in Berlin or Paris
orders that are paid or shipped | orders that are paid and shipped
either red or blue | both red and blue
red and not blue | blue and not red
customers who bought books and pens | customers who bought books but not pens
only red products | red products
customers who bought any product | customers who bought all products
# before and after, who does what to whom
orders placed before payment | orders placed after payment
orders paid before they were shipped | orders shipped before they were paid
employees who manage Smith | employees Smith manages
who hired Smith | who did Smith hire
teams that beat Ajax | teams that Ajax beat
products bought by customers from Spain | customers bought by products from Spain
orders minus returns | returns minus orders
profit divided by revenue | revenue divided by profit
emails sent to Anna | emails sent by Anna
emails from Anna to Bob | emails from Bob to Anna
my orders | our orders
parents of Anna | children of Anna
arrival time | departure time
sender of the parcel | receiver of the parcel
birth date | death date
imports by country | exports by country
gross revenue | net revenue
cost of the products | price of the products
order date | ship date
home team goals | away team goals
first name of the customers | last name of the customers
opened accounts | closed accounts
# aggregates
average amount by country | total amount by country
how many customers | how much customers
number of orders | amount of the orders
median price | average price
distinct countries | countries
sum of the amounts | count of the amounts
share of open orders | number of open orders
names of the customers | number of the customers
increase in sales | decrease in sales
running total of sales | total of sales
variance of the price | average of the price
# more, made after the forms of words were
songs longer than 3 minutes | songs shorter than 3 minutes
invoices due in 30 days | invoices due in 60 days
invoices due within 30 days | invoices overdue by 30 days
how many tracks per album | how many albums per track
artists with more albums than Queen | artists with fewer albums than Queen
doctors who treated Lee | doctors Lee treated
patients referred by doctor Kim to doctor Lee | patients referred by doctor Lee to doctor Kim
flights departing after 6 pm | flights departing after 6 am
flights delayed by weather | flights not delayed by weather
the two cheapest hotels | the two most expensive hotels
hotels in Rome with a pool | hotels in Rome without a pool
students who passed math and failed art | students who failed math and passed art
students who passed math or art | students who passed math and art
books published before 1990 | books published in 1990
books published by Orbit | books published for Orbit
average number of pages per book | total number of pages per book
authors who wrote exactly one book | authors who wrote at least one book
authors who wrote one book | authors who wrote no book
teams that won at home | teams that won away
teams that scored first | teams that scored last
players taller than 2 m | players taller than 2 cm
players taller than 1.9 m | players taller than 1.8 m
employees reporting to Anna | employees Anna reports to
salary before tax | salary after tax
the most recent payment | the first payment
payments made in cash | payments not made in cash
top 3 regions by growth | top 3 regions by decline
regions with falling sales | regions with rising sales
products in stock | products out of stock
items bought together with tea | items bought instead of tea
customers in both Berlin and Rome | customers in neither Berlin nor Rome
customers with an email but no phone | customers with a phone but no email
difference between revenue and cost | difference between cost and revenue
ratio of women to men | ratio of men to women
orders Monday to Friday | orders Monday and Friday
orders from Monday | orders until Monday
trips from the airport | trips to the airport
messages received by Tom | messages sent by Tom
cars made in Japan | cars sold in Japan
the number of seats | the seat number
current price of product 7 | previous price of product 7
the 90th percentile of the delay | the 95th percentile of the delay
how often did it rain | how much did it rain
how long is the river | how wide is the river
what is the list price of the bike | what is the price of the bike
count of orders in Q1 | count of orders in Q2
orders for store B | orders for store C
visits per week | visits per weekday
visits in week 5 | visits in the last 5 weeks
rents above the average | rents below the average
cities with more than 1 million people | cities with more than 2 million people
cities with over a million people | cities with under a million people
which country has the largest area | which country has the largest population
which countries border France | which countries does France border on the sea
lakes deeper than 100 feet | lakes deeper than 100 metres
the best customer | the best customers
customer with the highest spend per order | customer with the highest spend
every second order | the second order
movies with Brad and without Angelina | movies with Angelina and without Brad
movies directed by actors | actors directed by movies
"""

_THE_SAME = """
How many orders are there? | What is the number of orders?
How many customers do we have? | How many customers are there?
Show all customers | List the customers
What is the average price? | Show the mean price
Top five customers by revenue | the top 5 customers by revenue
orders over 1,000 | orders above 1000.00
sales in the last 3 months | sales of the past three months
orders that aren't paid | orders that are not paid
revenue by month | revenue per month
at least 3 reviews | 3 or more reviews
Which products cost more than 10? | products that cost over 10
Give me the total revenue per month | What is the total revenue by month?
What is the average price of products per category? | What is the average product price per category?
names of the customers | customer names
Can you show me the orders from Berlin? | Orders from Berlin
Please list the employees in sales | Which employees are in sales?
What are the names of all employees? | List the names of employees
customers with orders | customers that have orders
customers who have no orders | customers without orders
How many distinct countries are there? | How many unique countries are there?
the highest salary | the maximum salary
What's the lowest price? | What is the minimum price?
Revenue for each month | monthly revenue
Number of orders per customer | How many orders per customer
count of orders by status | number of orders by status
Which customer has the most orders? | Who is the customer with the most orders?
In 2024, how many orders were shipped? | How many orders were shipped in 2024?
Show revenue by month in 2023 | In 2023, show revenue by month
List the five most expensive products | What are the 5 most expensive products?
products with a price under 20 | products with a price below 20
I want to see the open orders | Show me the open orders
What is the sum of the payments? | total of the payments
orders placed during March | orders placed in March
How many employees work in each department? | Number of employees per department
List the customers of each product | customers of every product
Who are the customers from Spain? | customers from Spain
What is the total number of invoices? | How many invoices are there?
employees hired after 2020 | employees who were hired since 2020
the newest customers | the latest customers
Tell me the email of Anna Smith | What is Anna Smith's email?
orders with a discount | orders that had a discount
What percentage of orders is open? | percentage of orders that are open
products sorted by price in descending order | products sorted descending by price
What countries do our customers come from? | From which countries are our customers?
customers who bought more than 3 products | customers who purchased more than 3 products
clients in Berlin | customers in Berlin
the number of items in stock | how many items are in stock
which orders are late | late orders
revenue of the shop in Berlin | revenue of the Berlin shop
How many orders did we get yesterday? | number of orders yesterday
Find the products without a category | products that have no category
average order value | average value of an order
Sales by region and month | sales per region and month
Which suppliers deliver tea? | suppliers that deliver tea
How much did we earn in May? | What were our earnings in May?
maximum of the salaries per department | highest salary in each department
list customers alphabetically | list customers in alphabetical order
fewest orders by customer | customer with the fewest orders
How many customers does each country have? | number of customers per country
at most 5 items | no more than 5 items
How many songs are longer than 3 minutes? | What is the number of songs longer than 3 minutes?
Show the albums of Queen | What are the albums of Queen?
Which hotels in Rome have a pool? | hotels in Rome with a pool
List all students who failed math | Which students failed math?
average salary per department | mean salary by department
What is the maximum delay of flights in May? | highest delay of flights in May
How many books did Orbit publish? | number of books published by Orbit
the cheapest hotel in Rome | Which hotel in Rome is the cheapest?
authors of more than two books | authors who wrote more than 2 books
How many patients are there per doctor? | number of patients for each doctor
names of doctors | doctor names
Please show me the flights to Oslo | flights to Oslo
Could you list the teams that won at home? | teams that won at home
players over 2 m | players above 2 m
In May, which stores made a loss? | Which stores made a loss in May?
the total of the payments by month | total payments per month
students with at least 5 courses | students having 5 or more courses
movies that aren't rated | movies that are not rated
What is the average rating of movies by genre? | average movie rating for each genre
Give me the ten most rented movies | top 10 movies by rentals
how many distinct cities do we ship to | number of unique cities we ship to
products out of stock | Which products are out of stock?
longest river in Africa | What is the longest river in Africa?
payments under 50 dollars | payments below $50
customers without email | customers who have no email
the latest invoice | the most recent invoice
count of visits by week | How many visits by week?
countries with over 1 million people | countries with more than 1,000,000 people
percent of late flights | percentage of late flights
the number of women in each team | How many women are in each team?
"""


def _pairs(text: str) -> list[tuple[str, str]]:
    lines = (line.split(" | ") for line in text.strip().splitlines() if not line.startswith("#"))
    return [(one, other) for one, other in lines]


DIFFERENT = _pairs(_DIFFERENT)
THE_SAME = _pairs(_THE_SAME)

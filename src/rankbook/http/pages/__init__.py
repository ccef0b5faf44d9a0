"""The pages: rendered by the server, complete without JavaScript, live with it."""

from rankbook.http.pages.problem import problem_page, wants_page
from rankbook.http.pages.routes import handlers

__all__ = ["handlers", "problem_page", "wants_page"]
